import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Duplex, Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { type Client, createFunctions, type SentRequest } from '../../../contract/client.ts';
import { type ErrorCode, errorStatus, messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { type ApiRoutes, operations } from '../../../contract/operations.ts';
import { parseExactly, toJsonText, withText } from '../../../toolwharf/kernel/exact-json.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import { MissingRouteError, UnavailableError } from '../errors.ts';
import { connectToGateway } from './prove-gateway.ts';

/** The REST API of a gateway. Errors are thrown with the code that the gateway returned. */
export interface GatewayClient extends Client<ApiRoutes, AsyncIterable<EventSourceMessage>> {
  readonly url: string;
}

export interface GatewayAccess {
  readonly url: string;
  /** An API key or the admin token; undefined if the gateway needs no authentication. */
  readonly token?: string;
  /** The admin token of the gateway's data directory. Each connection must prove it before a request is sent. */
  readonly adminToken?: string;
  /** Opens a connection to a gateway in this process. */
  readonly connect?: () => Duplex;
  readonly signal: AbortSignal;
}

/** Creates a client for the gateway at a URL. Aborting the signal of a request closes its connection, which cancels a call. */
export function createGatewayClient({ url, token, adminToken, connect, signal: ending }: GatewayAccess): GatewayClient {
  async function send({ method, path, body, signal = ending }: SentRequest): Promise<IncomingMessage> {
    const headers = {
      'content-type': body === undefined ? undefined : 'application/json',
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      'user-agent': `toolwharf-cli/${version}`,
    };
    try {
      return await sendRequest(`${url}${path}`, { method, headers, body, signal, adminToken, connect });
    } catch (cause) {
      signal.throwIfAborted();
      throw new UnavailableError(`The gateway at ${url} does not respond: ${messageOf(cause)}`);
    }
  }

  async function receive(request: SentRequest): Promise<unknown> {
    const response = await send(request);
    const { 'content-type': type = '', 'content-disposition': file } = response.headers;
    if (isSuccess(response) && type.startsWith('text/event-stream')) return readEvents(response);
    const text = await readText(response);
    if (!isSuccess(response)) throw toError(response.statusCode, text, url);
    if (text === '') return undefined;
    return file === undefined ? withText(parseExactly(text), text) : text;
  }

  const functions = createFunctions<ApiRoutes, AsyncIterable<EventSourceMessage>>(operations, receive, toJsonText);
  return { url, ...functions };
}

/** Server-sent events, until the gateway ends the stream or the signal of the request aborts. */
function readEvents(response: IncomingMessage): AsyncIterable<EventSourceMessage> {
  const bytes = Readable.toWeb(response) as ReadableStream<Uint8Array>;
  return bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
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
  if (typeof data.route === 'string') return new MissingRouteError(`The gateway at ${url} has no ${data.route}`);
  return new ToolwharfError(error.code as ErrorCode, String(error.message), { data });
}

/** The tools that the gateway's configuration always asks about. */
export async function askPatternsOf(gateway: Pick<GatewayClient, 'getConfig'>): Promise<readonly string[]> {
  return (await gateway.getConfig()).toolbox.approval.ask;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** The receiver must prove that it knows this token before the request is sent. */
  readonly adminToken?: string;
  /** Opens the connection. */
  readonly connect?: () => Duplex;
}

/**
 * Sends a request and resolves with the response once its headers have arrived. Unlike `fetch`, it never gives up on a
 * response that waits for a person, and it follows no redirects.
 */
export async function sendRequest(
  url: string,
  { method, headers = {}, body, signal, adminToken, connect }: RequestOptions,
): Promise<IncomingMessage> {
  const socket = adminToken === undefined ? connect?.() : await connectToGateway(url, adminToken);
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const createConnection = socket && (() => socket);
    const outgoing = request(url, { method, headers: given, signal, createConnection }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
