import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
// By its file: Bun replaces the package `undici` with an incomplete one.
import { Agent, buildConnector, type Dispatcher } from 'undici/index.js';
import { ProtocolError, ToolwharfError } from '../../../contract/errors.ts';
import type { AbortSource } from '../../kernel/abort-source.ts';
import { userAgent } from '../../kernel/version.ts';
import { holdProcess, keepProcessAlive, releaseProcess } from '../../kernel/wait.ts';
import type { NotificationThrottle } from '../notification-throttle.ts';
import type { ReplyMeter } from '../request-host.ts';
import { createEventMeter, createWholeMeter, tooLarge } from './body-meter.ts';
import { type Exchanged, exchange, type ResponseHead } from './exchange.ts';
import { guardAddresses, lookUpLoopbackLocally, type MayReach } from './guard-addresses.ts';
import { createUnreadReply, discard, headerOf, type PoolReply } from './http-reply.ts';
import { createPoolResponse, type UnreadBody } from './pool-response.ts';

export interface PoolFetchOptions {
  /** Limit for a response that is not an event stream; default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Limit for one event of an event stream; default 64 MiB. */
  readonly maxEventBytes?: number;
  /** Limit until a response begins; default 300 000, because a tool may run that long before the first byte. */
  readonly headersTimeoutMs?: number;
  /** The longest silence inside a response that is not an event stream; default 60 000. */
  readonly bodyTimeoutMs?: number;
  /** Limits the rate at which all event streams are read; default unlimited. */
  readonly throttle?: NotificationThrottle;
  /** Which addresses may be connected to; default all. */
  readonly mayReach?: MayReach;
  /** Opens the connection to an origin, for callers that check the other side first; default a TCP or TLS connection. */
  readonly openSocket?: (origin: string) => Promise<Socket>;
}

export interface PoolFetch {
  /** Follows no redirects and decompresses nothing. Fails like `fetch`: a `TypeError` for the network, the reason for an abort. */
  readonly fetch: FetchLike;
  /** Sends one request with exactly these headers, without the overhead of `fetch`. */
  readonly send: (request: PoolRequest, options?: SendOptions) => Promise<PoolReply>;
  /** Closes all sockets, those in use too. */
  close(): Promise<void>;
}

/** The other arguments that `fetch` accepts. */
export interface PoolRequestInit extends RequestInit {
  /** Counts the body while it is received, unless it is an event stream. */
  readonly reply?: ReplyMeter;
}

export interface PoolRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface SendOptions {
  readonly signal?: AbortSource;
  /** Counts a JSON reply while it is received. */
  readonly reply?: ReplyMeter;
}

const mebibyte = 1024 * 1024;

/** A `fetch` over kept-alive undici connections: the same responses for a fraction of the work. */
export function createPoolFetch(options: PoolFetchOptions = {}): PoolFetch {
  const {
    maxResponseBytes = 64 * mebibyte,
    maxEventBytes = 64 * mebibyte,
    headersTimeoutMs = 300_000,
    bodyTimeoutMs = 60_000,
    throttle,
    mayReach,
    openSocket,
  } = options;
  const guard = mayReach && guardAddresses(mayReach);
  const agent = new Agent({
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersTimeoutMs,
    // An event stream may be silent for hours. Other bodies have their own timeout while they are read.
    bodyTimeout: 0,
    allowH2: false,
    // Most servers close idle sockets after five seconds, and few announce it. A request that is sent just then may or may not arrive.
    keepAliveTimeout: 2_000,
    keepAliveTimeoutThreshold: 3_000,
    keepAliveMaxTimeout: 60_000,
    connect: withoutRef(
      openSocket
        ? toConnector(openSocket)
        : buildConnector({ timeout: 10_000, allowH2: false, lookup: guard?.lookup ?? lookUpLoopbackLocally }),
    ),
  });

  const limits = { maxBytes: maxResponseBytes, idleMs: bodyTimeoutMs };

  async function poolFetch(input: string | URL, init: PoolRequestInit = {}): Promise<Response> {
    const url = new URL(input);
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    await guard?.assertReachable(url);
    const toError = (cause: unknown) => describe(cause, url, signal);
    let data: Dispatcher.ResponseData;
    try {
      data = await keepProcessAlive(
        agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: (init.method ?? 'GET').toUpperCase() as Dispatcher.HttpMethod,
          headers: toHeaders(init),
          body: toBody(init.body),
          signal,
        }),
      );
    } catch (cause) {
      throw toError(cause);
    }
    const problem = problemOf(data, url, init.redirect === 'error');
    if (problem) {
      discard(data.body);
      throw problem;
    }
    const headers = fromHeaders(data.headers);
    return createPoolResponse({
      status: data.statusCode,
      statusText: data.statusText,
      headers,
      ...toUnread(data, data.body, toError, init.reply),
      throttle: isEventStream(data) ? throttle : undefined,
    });
  }

  /** The body with the limits of its kind. */
  function toUnread(
    head: ResponseHead,
    body: Readable,
    toError: (cause: unknown) => unknown,
    reply: ReplyMeter | undefined,
  ): UnreadBody {
    if (!isEventStream(head)) holdUntilRead(body);
    return isEventStream(head)
      ? { body, meter: createEventMeter(maxEventBytes), idleMs: 0, toError }
      : { body, meter: createWholeMeter(maxResponseBytes, reply), idleMs: bodyTimeoutMs, toError };
  }

  function send(request: PoolRequest, options: SendOptions = {}): Promise<PoolReply> {
    const judged = guard?.assertReachable(request.url);
    return judged ? judged.then(() => sendNow(request, options)) : sendNow(request, options);
  }

  function sendNow({ method, url, headers, body }: PoolRequest, options: SendOptions): Promise<PoolReply> {
    const { origin, path } = splitUrl(url);
    return keepProcessAlive(exchange(agent, { origin, path, method, headers, body }, limits, options)).then(
      (answer) => toReply(answer, url, options),
      (cause) => {
        throw describe(cause, url, undefined);
      },
    );
  }

  function toReply(answer: Exchanged, url: URL, { reply }: SendOptions): PoolReply {
    const { head } = answer;
    if (answer.text !== undefined) return { kind: 'json', text: answer.text, headers: head.headers };
    const { body } = answer;
    const toError = (cause: unknown) => describe(cause, url, undefined);
    if (isPlainEventStream(head)) {
      const events = { body, meter: createEventMeter(maxEventBytes), toError };
      return { kind: 'events', events, headers: head.headers };
    }
    const problem = problemOf(head, url);
    if (problem) {
      discard(body);
      throw problem;
    }
    return { kind: 'other', reply: createUnreadReply(head, toUnread(head, body, toError, reply)) };
  }

  function problemOf(head: ResponseHead, url: URL, rejectsRedirects = false): Error | undefined {
    const { statusCode, headers } = head;
    if (statusCode < 200 || statusCode > 599) {
      return new ProtocolError('SERVER_PROTOCOL', `${url.origin} answered with the unknown HTTP status ${statusCode}`);
    }
    const encoding = headerOf(headers, 'content-encoding');
    if (encoding && encoding.toLowerCase() !== 'identity') {
      // A small compressed body can unpack to a huge one, so none is accepted.
      return new ProtocolError('SERVER_PROTOCOL', `${url.origin} compressed its answer although it was asked not to`);
    }
    if (rejectsRedirects && statusCode >= 300 && statusCode < 400) {
      return new TypeError(`${url.origin} answered with a redirect`);
    }
    const isTooLarge = !isEventStream(head) && Number(headerOf(headers, 'content-length')) > maxResponseBytes;
    return isTooLarge ? tooLarge('answer', maxResponseBytes) : undefined;
  }

  // A URL computes its parts each time they are read.
  let lastUrl: { readonly url: URL; readonly origin: string; readonly path: string } | undefined;
  function splitUrl(url: URL) {
    if (lastUrl?.url !== url) lastUrl = { url, origin: url.origin, path: url.pathname + url.search };
    return lastUrl;
  }

  return { fetch: poolFetch, send, close: () => agent.destroy() };
}

/**
 * The sockets of a connector, without keeping the process alive. The agent would do so while a socket has a request, but streams of events
 * are requests too, and are open for as long as a server is connected. Requests and the bodies of other responses keep the process alive
 * themselves.
 */
function withoutRef(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[cause, socket]) => {
      if (!socket) return callback(cause as Error, null);
      socket.unref();
      // The agent calls it before every request.
      socket.ref = () => socket;
      callback(null, socket);
    });
}

function holdUntilRead(body: Readable): void {
  if (body.closed) return;
  holdProcess();
  body.once('close', releaseProcess);
}

function toConnector(openSocket: (origin: string) => Promise<Socket>): buildConnector.connector {
  return ({ protocol, host }, callback) => {
    openSocket(`${protocol}//${host}`).then(
      (socket) => callback(null, socket),
      (cause) => callback(cause, null),
    );
  };
}

function toHeaders(init: RequestInit): Record<string, string> {
  const headers = new Headers(init.headers ?? undefined);
  if (!headers.has('user-agent')) headers.set('user-agent', userAgent);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  if (init.body instanceof URLSearchParams && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  }
  headers.set('accept-encoding', 'identity');
  return Object.fromEntries(headers);
}

function toBody(body: RequestInit['body']): string | Uint8Array | null {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('A request body must be text, bytes or URLSearchParams');
}

function fromHeaders(record: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}

const eventStreamType = /^\s*text\/event-stream\s*(;|$)/i;

function isEventStream({ headers }: ResponseHead): boolean {
  return eventStreamType.test(headerOf(headers, 'content-type') ?? '');
}

function isPlainEventStream({ statusCode, headers }: ResponseHead): boolean {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  return statusCode === 200 && encoding === undefined && typeof type === 'string' && eventStreamType.test(type);
}

/** Names the origin only: path and query may contain secrets. */
function describe(cause: unknown, url: URL, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (cause instanceof ToolwharfError || cause instanceof TypeError) return cause;
  const first = cause instanceof AggregateError && cause.errors[0] instanceof Error ? cause.errors[0] : cause;
  const text = first instanceof Error ? first.message : String(first);
  return new TypeError(`Request to ${url.origin} failed: ${text}`, { cause });
}
