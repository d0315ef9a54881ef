import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  type RequestId,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { messageOf, ProtocolError, ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { type AbortSource, LightAbort } from '../../kernel/abort-source.ts';
import { parseMessage, toJsonText } from '../../kernel/exact-json.ts';
import { createLinkedQueue } from '../../kernel/linked-queue.ts';
import { abortable } from '../../kernel/wait.ts';
import type { StreamMessageInfo } from '../channel.ts';
import type { ChannelSendOptions } from '../pending-request.ts';
import { type EventStreamBody, readEventStream } from './event-stream.ts';
import { describeRedirect, followRedirects } from './follow-redirects.ts';
import type { HttpAccess } from './http-access.ts';
import { eventsOf, type HttpReply, headerOf } from './http-reply.ts';
import { createHttpSender, httpError, type RequestParts } from './http-sender.ts';
import type { PoolRequest } from './pool-fetch.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';
import { createRequestHeaders } from './request-headers.ts';

/** MCP's Streamable HTTP: each request is a POST, answered with JSON or with its own event stream. */
export interface StreamableHttpTransport extends Transport {
  /** Called when an event stream could not be opened again. */
  onstreamlost?: () => void;
  /** Ends the server's session; does not wait long for it. */
  terminateSession(): Promise<void>;
}

/** One logical event stream, over however many HTTP responses it arrives. */
interface EventStream {
  /** The request it answers; undefined for the stream that the server sends unsolicited messages on. */
  readonly requestId?: RequestId;
  /** Aborts when nobody waits for the stream any longer. */
  readonly signal: AbortSource;
  readonly options: ChannelSendOptions;
  lastEventId?: string;
  hasReply: boolean;
  /** Consecutive responses that ended without an event. */
  emptyResponses: number;
}

const methodNotFound = -32601;
const maxReconnects = 5;
const terminateTimeoutMs = 1_000;
const largeText = 1024 * 1024;

export function createStreamableHttpTransport(url: URL, access: HttpAccess): StreamableHttpTransport {
  const { throttle } = access;
  const requestHeaders = createRequestHeaders(access.headers);
  const lifetime = new AbortController();
  const sender = createHttpSender(url, access, lifetime.signal);
  const openBodies = createLinkedQueue<Readable>();
  const timers = new Set<NodeJS.Timeout>();
  let sessionId: string | undefined;
  let protocolVersion: string | undefined;
  let serverRetryMs: number | undefined;

  const transport: StreamableHttpTransport = {
    hasPerRequestStream: true,
    get sessionId() {
      return sessionId;
    },
    setProtocolVersion(version) {
      protocolVersion = version;
    },
    start: async () => {},
    send: (message, options = {}) => post(message, options, false),

    async terminateSession() {
      if (sessionId === undefined) return;
      const signal = AbortSignal.any([lifetime.signal, AbortSignal.timeout(terminateTimeoutMs)]);
      // A failure has no effect: the server is gone, or does not let clients end sessions.
      const response = await abortable(request('DELETE', { signal }), signal).catch(() => undefined);
      await response?.text().catch(() => {});
      sessionId = undefined;
    },

    async close() {
      if (lifetime.signal.aborted) return;
      lifetime.abort();
      for (const timer of timers) clearTimeout(timer);
      for (const body of openBodies.values()) body.destroy();
      transport.onclose?.();
    },
  };

  async function post(message: JSONRPCMessage, options: ChannelSendOptions, isRetry: boolean): Promise<void> {
    const { method } = message as JsonObject;
    const isInitialize = method === 'initialize';
    const session = { sessionId: isInitialize ? undefined : sessionId, protocolVersion };
    const usual = requestHeaders.post(message, session);
    const headers = options.headers ? { ...options.headers, ...usual } : usual;
    const body = toJsonText(message);
    const { reply: meter } = options;
    const signal = options.signal ?? options.requestSignal ?? new LightAbort();
    let response: HttpReply;
    if (access.send) {
      const request = { method: 'POST', url, headers, body } as const;
      const reply = await access.send(request, options.signal ? options : { signal, reply: meter });
      if (reply.kind !== 'other') {
        if (isInitialize) sessionId = headerOf(reply.headers, 'mcp-session-id') || undefined;
        if (reply.kind === 'json') {
          if (reply.text.length > largeText) await receiveJson(reply.text, message);
          else receiveReplies(parseMessage(reply.text), message);
        } else receiveEvents(reply.events, toEventStream(message, options, signal));
        return;
      }
      const sendTo = (target: URL) => sender.send({ ...request, url: target }, { signal, reply: meter });
      response = await followRedirects(reply.reply, url, 'POST', sendTo);
    } else response = await request('POST', { headers, body, signal, reply: meter });
    if (!response.ok) {
      if (await sender.authorize(response, isRetry)) return post(message, options, true);
      return receiveFailure(response, message);
    }
    if (isInitialize) sessionId = response.headers.get('mcp-session-id') ?? undefined;
    await receiveResponse(response, message, options, signal);
  }

  async function receiveResponse(
    response: HttpReply,
    message: JSONRPCMessage,
    options: ChannelSendOptions,
    signal: AbortSource,
  ): Promise<void> {
    const isRequest = 'method' in message && 'id' in message;
    if (response.status === 202 || !isRequest) {
      await response.text().catch(() => {});
      if (response.status === 202 && 'method' in message && message.method === 'notifications/initialized')
        void openStandaloneStream();
      return;
    }
    const type = response.headers.get('content-type') ?? '';
    if (/^\s*text\/event-stream\s*(;|$)/i.test(type))
      return receiveEvents(eventsOf(response), toEventStream(message, options, signal));
    if (/^\s*application\/json\s*(;|$)/i.test(type)) return receiveJson(await response.text(), message);
    await response.text().catch(() => {});
    throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `Unexpected content type: ${type || 'none'}`);
  }

  /** The error of a refused POST, unless its body is the server's answer to the request. */
  async function receiveFailure(response: HttpReply, message: JSONRPCMessage): Promise<void> {
    const text = await response.text().catch(() => '');
    const { id } = message as JsonObject;
    const { status } = response;
    if (id !== undefined && status !== 401 && status !== 403) {
      const reply = parseOrUndefined(text);
      // A session that the server has lost is a failure of the transport.
      const isAnswer = (error: JsonObject) => status !== 404 || !sessionId || error.code === methodNotFound;
      if (isObject(reply) && reply.id === id && isObject(reply.error) && isAnswer(reply.error))
        return transport.onmessage?.(reply as unknown as JSONRPCMessage, infoFor(message));
    }
    throw httpError(SdkErrorCode.ClientHttpNotImplemented, response, describeRedirect(url, response) ?? text);
  }

  /** Other requests are served between the steps, each of which takes long. */
  async function receiveJson(text: string, message: JSONRPCMessage): Promise<void> {
    await nextTurn();
    const data = parseMessage(text);
    await nextTurn();
    receiveReplies(data, message);
  }

  function receiveReplies(data: unknown, message: JSONRPCMessage): void {
    if (Array.isArray(data)) for (const reply of data) receiveReply(reply, message);
    else receiveReply(data, message);
  }

  function receiveReply(reply: unknown, message: JSONRPCMessage): void {
    if (!isObject(reply)) throw new ProtocolError('SERVER_PROTOCOL', 'The server sent JSON that is not a message');
    transport.onmessage?.(reply as unknown as JSONRPCMessage, infoFor(message));
  }

  function receiveEvents(source: EventStreamBody, stream: EventStream): void {
    // The reply may arrive while the transport is being closed.
    if (lifetime.signal.aborted) {
      source.body.destroy();
      return;
    }
    const opened = openBodies.push(source.body);
    const info: StreamMessageInfo = { relatedRequestId: stream.requestId };
    const destroy = () => source.body.destroy();
    stream.signal.addEventListener('abort', destroy);
    if (stream.signal.aborted) destroy();
    stream.emptyResponses++;
    readEventStream(source, {
      throttle,
      reply: stream.options.reply,
      onRetry: (delayMs) => {
        serverRetryMs = delayMs;
      },
      onEvent({ id, event, data }) {
        if (id) stream.lastEventId = id;
        stream.emptyResponses = 0;
        if (data === '' || (event !== undefined && event !== 'message')) return;
        const received = parseOrUndefined(data);
        if (!isObject(received)) {
          transport.onerror?.(new Error('The server sent an event that is not a message'));
          return;
        }
        if (received.method === undefined) stream.hasReply = true;
        else stream.options.reply?.discard();
        transport.onmessage?.(received as unknown as JSONRPCMessage, info);
      },
      onEnd(cause) {
        openBodies.remove(opened);
        stream.signal.removeEventListener('abort', destroy);
        endOfResponse(stream, cause);
      },
    });
  }

  /** Continues an event stream on a new response where the protocol allows it. */
  function endOfResponse(stream: EventStream, cause: unknown): void {
    if (isOver(stream)) return;
    const { options } = stream;
    if (cause !== undefined) transport.onerror?.(new Error(`The event stream broke: ${messageOf(cause)}`, { cause }));
    if (cause instanceof ToolwharfError && options.onUnreadable) options.onUnreadable(cause);
    else if (stream.requestId === undefined || (stream.lastEventId !== undefined && !stream.hasReply))
      reconnectLater(stream, 0);
    else options.onRequestStreamEnd?.();
  }

  function reconnectLater(stream: EventStream, failures: number): void {
    if (failures >= maxReconnects) {
      stream.options.onRequestStreamEnd?.();
      transport.onstreamlost?.();
      return;
    }
    const delayMs = reconnectDelayMs({ serverRetryMs, failures, emptyResponses: stream.emptyResponses });
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (isOver(stream)) return;
      openStream(stream, false).catch((cause) => {
        if (isOver(stream)) return;
        transport.onerror?.(new Error(`Failed to reconnect the event stream: ${messageOf(cause)}`, { cause }));
        reconnectLater(stream, failures + 1);
      });
    }, delayMs);
    timers.add(timer);
  }

  async function openStandaloneStream(): Promise<void> {
    const stream: EventStream = { signal: new LightAbort(), options: {}, hasReply: false, emptyResponses: 0 };
    await openStream(stream, false).catch((cause) => {
      if (!isOver(stream)) transport.onerror?.(cause);
    });
  }

  /** Opens a GET stream, or resumes the stream of a request after its last event. */
  async function openStream(stream: EventStream, isRetry: boolean): Promise<void> {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (stream.lastEventId !== undefined) headers['last-event-id'] = stream.lastEventId;
    const response = await request('GET', { headers, signal: stream.signal });
    if (response.ok) return receiveEvents(eventsOf(response), stream);
    if (await sender.authorize(response, isRetry)) return openStream(stream, true);
    await response.text().catch(() => {});
    // The server has no such stream.
    if (response.status === 405) stream.options.onRequestStreamEnd?.();
    else
      throw httpError(
        SdkErrorCode.ClientHttpFailedToOpenStream,
        response,
        describeRedirect(url, response) ?? response.statusText,
      );
  }

  function request(method: PoolRequest['method'], init: RequestParts): Promise<HttpReply> {
    const headers = { ...requestHeaders.plain({ sessionId, protocolVersion }), ...init.headers };
    return sender.request(method, url, { ...init, headers });
  }

  function isOver({ signal }: EventStream): boolean {
    return lifetime.signal.aborted || signal.aborted;
  }

  return transport;
}

function toEventStream(message: JSONRPCMessage, options: ChannelSendOptions, signal: AbortSource): EventStream {
  return { requestId: (message as { id?: RequestId }).id, options, signal, hasReply: false, emptyResponses: 0 };
}

function infoFor(message: JSONRPCMessage): StreamMessageInfo {
  return { relatedRequestId: (message as { id?: RequestId }).id };
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
