import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { createEphemeralMap } from '../kernel/ephemeral-map.ts';
import { ConnectionError, messageOf, ProtocolError, type ToolwharfError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { toDeliveryError } from './delivery-errors.ts';
import { createdTaskId, relatedTask, tasksExtension } from './follow-task.ts';
import { createMessageOwners, type MessageOwner } from './message-owners.ts';
import { type ChannelRequestOptions, PendingRequest, type RequestOwner } from './pending-request.ts';
import { capabilitiesOf, type ReplyMeter, type RequestHost } from './request-host.ts';
import type { TrafficTap } from './traffic/traffic-log.ts';

/**
 * Our own requests beside those of the SDK, on one transport: results are returned as the server sent them, parsed once
 * and not validated. The SDK's `Client` handles the handshake and subscriptions; request ids tell the two apart.
 */
export interface Channel extends Transport {
  /** Sends a request. `reply` counts the reply while it is received. */
  request(method: string, params: JsonObject, options?: ChannelRequestOptions, reply?: ReplyMeter): Promise<JsonObject>;
  /** The `_meta` of every message in the modern era; undefined in the legacy era. */
  envelope: JsonObject | undefined;
  /** True if the server of the modern era may run calls as tasks. */
  hasTasks: boolean;
  readonly inFlight: number;
  readonly dropped: DroppedReplies;
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

export function createChannel(inner: Transport, options: ChannelOptions = {}): Channel {
  const { onUnsolicited, onServerMessage, traffic } = options;
  const pending = createEphemeralMap<number, PendingRequest>();
  const owners = createMessageOwners(() => [...pending.values()], firstId);
  /** The progress tokens of legacy requests that became tasks: the tasks report their progress with them. */
  const taskProgress = new Map<string, { readonly token: number; readonly host: RequestHost }>();
  const dropped: DroppedReplies = { replies: 0, progress: 0 };
  let nextId = firstId;
  const idleWaiters: (() => void)[] = [];

  const owner: RequestOwner = {
    onSettled({ id, method, taskId }) {
      pending.delete(id);
      if (taskId !== undefined && method === 'tasks/result') taskProgress.delete(taskId);
      if (pending.size === 0) for (const resolve of idleWaiters.splice(0)) resolve();
    },
    onAborted(request) {
      const { id, turn, host } = request;
      if (turn) owners.abandon(id, turn, host);
      request.fail(request.abortReason);
      // Closing a modern HTTP request cancels it; any other request needs a notification.
      if (channel.envelope && inner.hasPerRequestStream) request.cancel();
      else void notifyCancelled(id).finally(() => request.cancel());
    },
  };

  const channel: Channel = {
    envelope: undefined,
    hasTasks: false,
    dropped,
    get inFlight() {
      return pending.size;
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

    request(method, params, options = {}, reply) {
      const { signal, host, callId } = options;
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise<JsonObject>((resolve, reject) => {
        const request = new PendingRequest(nextId++, method, options, reply, { resolve, reject, owner });
        pending.set(request.id, request);
        const withOwnMeta = withMeta(params, host, host?.onProgress && { progressToken: request.id });
        const message = {
          jsonrpc: '2.0',
          id: request.id,
          method,
          params: channel.hasTasks ? declareTasks(method, withOwnMeta) : withOwnMeta,
        };
        send(message as JSONRPCMessage, request, callId).catch((cause) => request.fail(toDeliveryError(cause)));
      });
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
    if (!traffic?.isOn) return inner.send(message, sendOptions);
    traffic.record('sent', message as JsonObject, callId);
    const sending = inner.send(message, sendOptions);
    sending.catch((cause) => traffic.recordFailure(message as JsonObject, cause));
    return sending;
  }

  /** The pending requests that the first or last part of a message names. */
  function namedIn(edges: string): readonly number[] {
    const ids = [...edges.matchAll(/"id"\s*:\s*"?(\d{7,})/g)].map((match) => Number(match[1]));
    return ids.filter((id) => pending.has(id));
  }

  async function notifyCancelled(id: number): Promise<void> {
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: withMeta({ requestId: id }) };
    // The request has ended for us, whether or not the server receives this.
    await send(notification as JSONRPCMessage).catch(() => {});
  }

  inner.onmessage = (message, extra?: StreamMessageInfo) => {
    const record = message as JsonObject;
    if (traffic?.isOn) traffic.record('received', record);
    if (record.method === undefined && receiveReply(record)) return;
    if (record.id === undefined) onUnsolicited?.();
    if (record.method === 'notifications/progress' && receiveProgress(record)) return;
    if (record.method !== undefined && onServerMessage?.(record, ownerOf(record, extra))) return;
    channel.onmessage?.(message, extra);
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
    if (!own && !envelope) return params;
    // A server of the modern era reads from each request which questions it may ask.
    const capabilities = envelope && host && { [CLIENT_CAPABILITIES_META_KEY]: announcedFor(host, envelope) };
    const given = isObject(params._meta) ? params._meta : undefined;
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
    } else if (isObject(reply.error)) request.fail(toRpcError(reply.error));
    else if (isObject(reply.result)) {
      const taskId = createdTaskId(reply.result);
      if (taskId !== undefined && request.host?.onProgress) taskProgress.set(taskId, { token: id, host: request.host });
      request.succeed(reply.result);
    } else {
      const found = reply.result === undefined ? 'neither a result nor an error' : 'a result that is not an object';
      request.fail(
        new ProtocolError('SERVER_PROTOCOL', `The server answered with ${found}`, { data: { reached: true } }),
      );
    }
    return true;
  }

  function receiveProgress(notification: JsonObject): boolean {
    const params = isObject(notification.params) ? notification.params : {};
    const token = typeof params.progressToken === 'string' ? Number(params.progressToken) : params.progressToken;
    if (typeof token !== 'number' || !(token >= firstId)) return false;
    const ofTask = () => [...taskProgress.values()].find((task) => task.token === token);
    const host = (pending.get(token) ?? ofTask())?.host;
    if (!host?.onProgress || typeof params.progress !== 'number') dropped.progress++;
    else {
      host.onProgress({
        progress: params.progress,
        total: typeof params.total === 'number' ? params.total : undefined,
        message: typeof params.message === 'string' ? params.message : undefined,
      });
    }
    return true;
  }

  return channel;
}

/** The kinds of questions that a host answers, itself or through the default host of the connection. */
function announcedFor(host: RequestHost, envelope: JsonObject): JsonObject {
  return host.capabilities ?? { ...(envelope[CLIENT_CAPABILITIES_META_KEY] as JsonObject), ...capabilitiesOf(host) };
}

function toRpcError(error: JsonObject): ToolwharfError {
  const message = typeof error.message === 'string' ? error.message : messageOf(error.message ?? 'unknown error');
  return new ProtocolError('SERVER_ERROR', message, {
    data: { reached: true, rpcCode: error.code, rpcData: error.data },
  });
}

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
