import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { type ErrorCode, errorStatus, messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { UnavailableError } from '../errors.ts';
import { connectToGateway } from './prove-gateway.ts';

/** The REST API of a gateway. Errors are thrown with the code that the gateway returned. */
export interface GatewayClient {
  readonly url: string;
  get<Answer>(path: string): Promise<Answer>;
  /** Sends a body. Aborting the signal closes the connection, which cancels a call. */
  post<Answer>(path: string, body?: object, signal?: AbortSignal): Promise<Answer>;
  put<Answer>(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<void>;
  /** Server-sent events, until the gateway ends the stream or the signal aborts. */
  events(path: string, signal: AbortSignal): Promise<AsyncIterable<EventSourceMessage>>;
}

export interface GatewayAccess {
  readonly url: string;
  /** An API key or the admin token; undefined if the gateway needs no authentication. */
  readonly token?: string;
  /** The admin token of the gateway's data directory. Each connection must prove it before a request is sent. */
  readonly adminToken?: string;
  readonly signal: AbortSignal;
}

/** Creates a client for the gateway at a URL. */
export function createGatewayClient({ url, token, adminToken, signal }: GatewayAccess): GatewayClient {
  async function send(path: string, { headers, ...options }: RequestOptions): Promise<IncomingMessage> {
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    try {
      return await sendRequest(`${url}${path}`, { ...options, adminToken, headers: { ...headers, authorization } });
    } catch (cause) {
      options.signal?.throwIfAborted();
      throw new UnavailableError(`The gateway at ${url} does not respond: ${messageOf(cause)}`);
    }
  }

  async function request<Answer>(method: string, path: string, body?: object, own = signal): Promise<Answer> {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await send(path, { method, signal: own, ...json });
    const text = await readText(response);
    if (!isSuccess(response)) throw toError(response.statusCode, text, url);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  return {
    url,
    get: (path) => request('GET', path),
    post: (path, body, own) => request('POST', path, body, own),
    put: (path, body) => request('PUT', path, body),
    delete: (path) => request('DELETE', path),
    async events(path, streamSignal) {
      const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: streamSignal });
      if (!isSuccess(response)) throw toError(response.statusCode, await readText(response), url);
      const bytes = Readable.toWeb(response) as ReadableStream<Uint8Array>;
      return bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    },
  };
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function toError(status: number | undefined, text: string, url: string): Error {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not a Toolwharf gateway: handled below.
  }
  const error = isObject(value) && isObject(value.error) ? value.error : undefined;
  if (typeof error?.code !== 'string' || !Object.hasOwn(errorStatus, error.code)) {
    return new UnavailableError(`${url} is not a Toolwharf gateway: it returned HTTP status ${status}`);
  }
  const data = isObject(error.data) ? (error.data as JsonObject) : {};
  return new ToolwharfError(error.code as ErrorCode, String(error.message), { data });
}

/** The tools that the gateway's configuration always asks about. */
export async function askPatternsOf(gateway: Pick<GatewayClient, 'get'>): Promise<readonly string[]> {
  type Settings = { readonly toolbox: { readonly approval: { readonly ask: readonly string[] } } };
  return (await gateway.get<Settings>('/api/config')).toolbox.approval.ask;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** The receiver must prove that it knows this token before the request is sent. */
  readonly adminToken?: string;
}

/**
 * Sends a request and resolves with the response once its headers have arrived. Unlike `fetch`, it never gives up on a
 * response that waits for a person, and it follows no redirects.
 */
export async function sendRequest(
  url: string,
  { method, headers = {}, body, signal, adminToken }: RequestOptions,
): Promise<IncomingMessage> {
  const socket = adminToken === undefined ? undefined : await connectToGateway(url, adminToken);
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const createConnection = socket && (() => socket);
    const outgoing = request(url, { method, headers: given, signal, createConnection }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
