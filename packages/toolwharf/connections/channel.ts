import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { ConnectionError, messageOf, ProtocolError, type ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { createEphemeralMap } from '../kernel/ephemeral-map.ts';
import { exactly, isRawNumber, jsonTextOf, replaceMembers, restate } from '../kernel/exact-json.ts';
import { removeOwnMembers } from '../kernel/own-meta.ts';
import { holdProcess, releaseProcess } from '../kernel/wait.ts';
import { errorData, toDeliveryError } from './delivery-errors.ts';
import type { Exchange } from './exchange.ts';
import { createdTaskId, relatedTask, tasksExtension } from './follow-task.ts';
import { createMessageOwners, type MessageOwner } from './message-owners.ts';
import { PendingRequest, type RequestOwner, type SendingOptions } from './pending-request.ts';
import { capabilitiesOf, type ReplyMeter, type RequestHost } from './request-host.ts';
import type { TrafficTap } from './traffic/traffic-log.ts';
import type { Turn } from './turns.ts';

/**
 * Our own requests beside those of the SDK, on one transport: results are returned as the server sent them, parsed once
 * and not validated. The SDK's `Client` handles the handshake and subscriptions; request ids tell the two apart.
 */
export interface Channel extends Transport {
  /** Sends a request. `reply` counts the reply while it is received. */
  request(
    method: string,
    params: JsonObject,
    exchange?: Exchange,
    sending?: SendingOptions,
    reply?: ReplyMeter,
  ): Promise<JsonObject>;
  /** The `_meta` of every message in the modern era; undefined in the legacy era. */
  envelope: JsonObject | undefined;
  /** True if the server of the modern era may run calls as tasks. */
  hasTasks: boolean;
  readonly inFlight: number;
  /** No request is pending, and the server does not wait for an answer. */
  readonly isIdle: boolean;
  /** The number of messages that the server has sent. */
  readonly received: number;
  readonly dropped: DroppedReplies;
  /** Fails the pending request that has this turn, and tells the server that the request is cancelled. */
  cancelRequest(turn: Turn, cause: ToolwharfError): void;
  /** Resolves once no request is pending. */
  whenIdle(): Promise<void>;
  /** Fails every pending request that an unreadable reply may belong to, given the first and last part of its text. */
  failUnreadable(edges: string, reason: string): void;
  /**
   * Counts a large message that arrived on a stream which all requests share, before it is parsed. Returns false, and
   * fails the request that the message answers, if the message must not be parsed.
   */
  admitLarge(edges: string, parts: readonly Uint8Array[]): boolean;
}

/** The request whose response stream delivered a message. */
export interface StreamMessageInfo extends MessageExtraInfo {
  readonly relatedRequestId?: RequestId;
}

/** Counts messages without a pending request: late, duplicate or unrequested. */
export interface DroppedReplies {
  replies: number;
  progress: number;
}

export interface ChannelOptions {
  /** Called for each notification. */
  readonly onUnsolicited?: () => void;
  /** Takes a request or notification of the server; false leaves it to the SDK. */
  readonly onServerMessage?: (message: JsonObject, owner: MessageOwner) => boolean;
  /** Records all messages while a client watches them. */
  readonly traffic?: TrafficTap;
}

// The SDK counts its own ids up from 0 and uses only a few; ours start beyond those.
const firstId = 1_000_000;
const none: SendingOptions = {};

export function createChannel(inner: Transport, options: ChannelOptions = {}): Channel {
  const { onUnsolicited, onServerMessage, traffic } = options;
  const pending = createEphemeralMap<number, PendingRequest>();
  const owners = createMessageOwners(() => [...pending.values()], firstId);
  /** The hosts of requests that became tasks, by the progress tokens with which the tasks report their progress. */
  const taskProgress = new Map<number, RequestHost>();
  /** Ends the requests that were cancelled and whose permits wait for the reply. */
  const unanswered = new Map<number, () => void>();
  const dropped: DroppedReplies = { replies: 0, progress: 0 };
  /** The ids of the server's requests that have no answer yet. */
  const asked = new Set<unknown>();
  let received = 0;
  let nextId = firstId;
  const idleWaiters: (() => void)[] = [];

  const owner: RequestOwner = {
    onSettled({ id }) {
      if (pending.delete(id)) releaseProcess();
      if (pending.size === 0) for (const resolve of idleWaiters.splice(0)) resolve();
    },
    onAborted: (request) => cancel(request, request.abortReason),
    onStreamEnd: endUnanswered,
  };

  const channel: Channel = {
    envelope: undefined,
    hasTasks: false,
    dropped,
    get inFlight() {
      return pending.size;
    },
    get isIdle() {
      return pending.size === 0 && asked.size === 0;
    },
    get received() {
      return received;
    },
    get sessionId() {
      return inner.sessionId;
    },
    get hasPerRequestStream() {
      return inner.hasPerRequestStream;
    },
    start: () => inner.start(),
    send: (message, sendOptions) => send(message, sendOptions),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),

    request(method, params, exchange = {}, sending = none, reply) {
      const { signal, host, callId } = exchange;
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise<JsonObject>((resolve, reject) => {
        const request = new PendingRequest(nextId++, method, exchange, sending, reply, { resolve, reject, owner });
        pending.set(request.id, request);
        holdProcess();
        const withOwnMeta = withMeta(params, host, host?.onProgress && { progressToken: request.id });
        const message = {
          jsonrpc: '2.0',
          id: request.id,
          method,
          params: channel.hasTasks ? declareTasks(method, withOwnMeta) : withOwnMeta,
        };
        send(message as JSONRPCMessage, request, callId).catch((cause) => {
          request.fail(toDeliveryError(cause));
          endUnanswered(request);
        });
      });
    },

    cancelRequest(turn, cause) {
      const request = [...pending.values()].find((each) => each.turn === turn);
      if (request) cancel(request, cause);
    },

    whenIdle: () =>
      new Promise((resolve) => {
        if (pending.size === 0) resolve();
        else idleWaiters.push(resolve);
      }),

    failUnreadable(edges, reason) {
      const named = namedIn(edges);
      const isReply = edges.trimStart().startsWith('{');
      const failed = named.length > 0 ? named : isReply && pending.size === 1 ? [...pending.keys()] : [];
      for (const id of failed) {
        pending.get(id)?.fail(new ProtocolError('SERVER_PROTOCOL', reason, { data: { reached: true } }));
      }
    },

    admitLarge(edges, parts) {
      const request = pending.get(namedIn(edges)[0] ?? 0);
      try {
        for (const part of parts) request?.reply?.receive(part);
        return true;
      } catch (cause) {
        request?.fail(cause);
        return false;
      }
    },
  };

  function send(message: JSONRPCMessage, sendOptions?: TransportSendOptions, callId?: string): Promise<void> {
    if (!('method' in message)) asked.delete(message.id);
    if (!traffic?.isOn) return inner.send(message, sendOptions);
    traffic.record('sent', message as JsonObject, callId);
    const sending = inner.send(message, sendOptions);
    sending.catch((cause) => traffic.recordFailure(message as JsonObject, cause));
    return sending;
  }

  /** The server closed the response of a cancelled request. If this side closed it, the server may still be working. */
  function endUnanswered({ id, aborted }: PendingRequest): void {
    if (!aborted) unanswered.get(id)?.();
  }

  function observeUnanswered({ id, observer }: PendingRequest, close?: () => void): void {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    unanswered.set(id, resolve);
    const forget = () => {
      unanswered.delete(id);
      close?.();
    };
    observer?.onUnanswered?.({ end, forget });
  }

  /** The pending requests that the first or last part of a message names. */
  function namedIn(edges: string): readonly number[] {
    const ids = [...edges.matchAll(/"id"\s*:\s*"?(\d{7,})/g)].map((match) => Number(match[1]));
    return ids.filter((id) => pending.has(id));
  }

  function cancel(request: PendingRequest, reason: unknown): void {
    const { id, turn, host } = request;
    if (turn) owners.abandon(id, turn, host);
    const isObserved = request.observer?.onUnanswered !== undefined;
    request.fail(reason);
    // Closing a modern HTTP request cancels it; any other request needs a notification.
    if (channel.envelope && inner.hasPerRequestStream) {
      if (isObserved) observeUnanswered(request);
      request.abort();
      return;
    }
    const notified = notifyCancelled(id);
    const close = () => void notified.finally(() => request.abort());
    // A late answer arrives on the HTTP response of its request.
    if (isObserved) observeUnanswered(request, close);
    else close();
  }

  async function notifyCancelled(id: number): Promise<void> {
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: withMeta({ requestId: id }) };
    // The request has ended for us, whether or not the server receives this.
    await send(notification as JSONRPCMessage).catch(() => {});
  }

  inner.onmessage = (message, extra?: StreamMessageInfo) => {
    const arrived = message as JsonObject;
    received++;
    if (traffic?.isOn) traffic.record('received', arrived);
    const record = removeOwnMembers(arrived) ? withoutOwnText(arrived) : arrived;
    if (record.method === undefined && receiveReply(record)) return;
    if (record.id === undefined) onUnsolicited?.();
    else if (record.method !== undefined) asked.add(record.id);
    if (record.method === 'notifications/cancelled' && isObject(record.params)) asked.delete(record.params.requestId);
    if (record.method === 'notifications/progress' && receiveProgress(record)) return;
    if (record.method !== undefined && onServerMessage?.(record, ownerOf(record, extra))) return;
    channel.onmessage?.(record as JSONRPCMessage, extra);
  };
  inner.onerror = (cause) => channel.onerror?.(cause);
  inner.onclose = () => {
    for (const request of [...pending.values()]) {
      request.fail(
        new ConnectionError('SERVER_DISCONNECTED', 'The connection to the server was lost before it answered', {
          data: { reached: true },
        }),
      );
    }
    for (const end of unanswered.values()) end();
    channel.onclose?.();
  };
  // The SDK recognises a child process by these two.
  if ('pid' in inner && 'stderr' in inner) {
    Object.defineProperties(channel, {
      pid: { get: () => inner.pid, enumerable: true },
      stderr: { get: () => inner.stderr, enumerable: true },
    });
  }

  /** The owner of a message that arrived on the stream of this request, or on a stream that all requests share. */
  function ownerOf(message: JsonObject, extra: StreamMessageInfo | undefined): MessageOwner {
    const id = extra?.relatedRequestId;
    const request = typeof id === 'number' ? pending.get(id) : undefined;
    return owners.find(relatedTaskOf(message), id, request);
  }

  function withMeta(params: JsonObject, host?: RequestHost, own?: JsonObject): JsonObject {
    const { envelope } = channel;
    const meta = isObject(params._meta) ? params._meta : undefined;
    const given = envelope ? meta : withoutModernMembers(meta);
    if (!own && !envelope) return given === meta ? params : { ...params, _meta: given };
    // A server of the modern era reads from each request which questions it may ask.
    const capabilities = envelope && host && { [CLIENT_CAPABILITIES_META_KEY]: announcedFor(host, envelope) };
    return { ...params, _meta: { ...envelope, ...capabilities, ...given, ...own } };
  }

  function receiveReply(reply: JsonObject): boolean {
    // Some servers return a numeric id as a string.
    const id = typeof reply.id === 'string' && /^\d{7,}$/.test(reply.id) ? Number(reply.id) : reply.id;
    if (typeof id !== 'number' || id < firstId) return false;
    const request = pending.get(id);
    if (!request) {
      dropped.replies++;
      owners.endAbandoned(id);
      unanswered.get(id)?.();
    } else if (isObject(reply.error)) request.fail(toRpcError(reply.error));
    else if (isObject(reply.result)) {
      const result = channel.envelope ? reply.result : removeModernMembers(reply.result);
      const taskId = createdTaskId(result);
      if (taskId !== undefined && request.host?.onProgress) followProgress(id, request.host, request.onFollow);
      request.succeed(result);
    } else {
      const found = reply.result === undefined ? 'neither a result nor an error' : 'a result that is not an object';
      request.fail(
        new ProtocolError('SERVER_PROTOCOL', `The server answered with ${found}`, { data: { reached: true } }),
      );
    }
    return true;
  }

  /** The progress of a task reaches the host until its call has ended. */
  function followProgress(token: number, host: RequestHost, onFollow: Exchange['onFollow']): void {
    if (!onFollow) return;
    taskProgress.set(token, host);
    onFollow(() => taskProgress.delete(token));
  }

  function receiveProgress(notification: JsonObject): boolean {
    const params = isObject(notification.params) ? notification.params : {};
    const token = typeof params.progressToken === 'string' ? Number(params.progressToken) : params.progressToken;
    if (typeof token !== 'number' || !(token >= firstId)) return false;
    const host = pending.get(token)?.host ?? taskProgress.get(token);
    if (!host?.onProgress || typeof params.progress !== 'number') dropped.progress++;
    else {
      const { total, message } = params;
      const {
        progressToken: _token,
        progress: exactProgress,
        total: exactTotal,
        message: _message,
        ...others
      } = exactly(params);
      const extra = {
        ...others,
        ...(isRawNumber(exactProgress) && { progress: exactProgress }),
        ...(isRawNumber(exactTotal) && { total: exactTotal }),
      };
      host.onProgress({
        progress: params.progress,
        total: typeof total === 'number' ? total : undefined,
        message: typeof message === 'string' ? message : undefined,
        ...(Object.keys(extra).length > 0 && { extra }),
      });
    }
    return true;
  }

  return channel;
}

/** The `_meta` without members that only the modern era has. */
function withoutModernMembers(meta: JsonObject | undefined): JsonObject | undefined {
  if (!meta || !modernMembers.some((member) => meta[member] !== undefined)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([member]) => !modernMembers.includes(member)));
}

const modernMembers: readonly string[] = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
];

/** Only servers of the modern era ask with results. From a legacy server, these members would be taken for those of the gateway. */
function removeModernMembers(result: JsonObject): JsonObject {
  if (result.resultType === undefined || result.resultType === 'complete') return result;
  return replaceMembers(result, { resultType: undefined, inputRequests: undefined, requestState: undefined });
}

/** A message that members were removed from, with texts without them. */
function withoutOwnText(message: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).map(([name, member]) => [name, withoutOwn(member)]));
}

function withoutOwn(member: unknown): unknown {
  if (!isObject(member) || jsonTextOf(member) === undefined) return member;
  const exact = exactly(member);
  if (exact === member) return { ...exact };
  removeOwnMembers(exact);
  return restate(exact);
}

/** The kinds of questions that a host answers, itself or through the default host of the connection. */
function announcedFor(host: RequestHost, envelope: JsonObject): JsonObject {
  return host.capabilities ?? { ...(envelope[CLIENT_CAPABILITIES_META_KEY] as JsonObject), ...capabilitiesOf(host) };
}

function toRpcError(error: JsonObject): ToolwharfError {
  const message = typeof error.message === 'string' ? error.message : messageOf(error.message ?? 'unknown error');
  return new ProtocolError('SERVER_ERROR', message, {
    data: { reached: true, rpcCode: toRpcCode(error.code), rpcData: errorData(error) },
  });
}

/** The code of an error. Some servers return it as a string. */
function toRpcCode(code: unknown): number {
  const number = typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : code;
  return Number.isSafeInteger(number) ? (number as number) : internalError;
}

const internalError = -32603;

/** The params of a request of the modern era, which declare that its server may answer with a task. */
function declareTasks(method: string, params: JsonObject): JsonObject {
  if (method !== 'tools/call' && !method.startsWith('tasks/')) return params;
  const meta = isObject(params._meta) ? params._meta : {};
  const given = meta[CLIENT_CAPABILITIES_META_KEY];
  const capabilities = isObject(given) ? given : {};
  const extensions = { ...(isObject(capabilities.extensions) && capabilities.extensions), [tasksExtension]: {} };
  return { ...params, _meta: { ...meta, [CLIENT_CAPABILITIES_META_KEY]: { ...capabilities, extensions } } };
}

/** The task that a question of a legacy server names. */
function relatedTaskOf({ params }: JsonObject): string | undefined {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const related = meta[relatedTask];
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}
