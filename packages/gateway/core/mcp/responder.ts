import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { type AbortSource, LightAbort } from '../../../toolwharf/kernel/abort-source.ts';
import { toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import { type MessageStream, type MessageStreamOptions, openMessageStream } from './message-stream.ts';
import type { SerializedCache } from './serialized-cache.ts';

/** Responds to one HTTP request: with plain JSON, or with an event stream if other messages precede the response. */
export interface Responder {
  /** Sends a message before the response; does nothing if the client accepts no stream. */
  send(message: JsonObject): void;
  /** Returns the stream and opens it if necessary; undefined if the client does not accept streams. */
  stream(): MessageStream | undefined;
  /** Sends the response. `status` and `headers` are ignored once a stream is open. */
  finish(message: JsonObject, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** Aborts when the client disconnects before the response, unless `cancelsOnDisconnect` is false. */
  readonly signal: AbortSource;
}

export interface ResponderOptions {
  /** True by default. In the legacy era only `notifications/cancelled` cancels a request. */
  readonly cancelsOnDisconnect?: boolean;
  readonly serialized?: SerializedCache;
  /** Opens the event stream; the client cannot resume it by default. */
  readonly open?: (response: ServerResponse, options: Pick<MessageStreamOptions, 'stringify'>) => MessageStream;
}

/** The signal of requests that a disconnect does not cancel. These requests share one signal, on which listeners would leak. */
export const neverAborts: AbortSignal = new AbortController().signal;

export function createResponder(
  request: IncomingMessage,
  response: ServerResponse,
  options: ResponderOptions = {},
): Responder {
  return new HttpResponder(request, response, options);
}

/** A class, because every request has one: methods on a prototype cost nothing per request. */
class HttpResponder implements Responder {
  readonly signal: AbortSource;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: ResponderOptions;
  #events: MessageStream | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, options: ResponderOptions) {
    this.#request = request;
    this.#response = response;
    this.#options = options;
    this.signal = (options.cancelsOnDisconnect ?? true) ? abortedOnDisconnect(response) : neverAborts;
  }

  stream(): MessageStream | undefined {
    const response = this.#response;
    if (!this.#events && !response.headersSent && !response.destroyed && acceptsStream(this.#request)) {
      const { serialized, open = openMessageStream } = this.#options;
      this.#events = open(response, { stringify: serialized?.stringify });
    }
    return this.#events;
  }

  send(message: JsonObject): void {
    this.stream()?.send(message);
  }

  finish(message: JsonObject, status = 200, headers: Readonly<Record<string, string>> = noHeaders): void {
    if (this.#events) {
      this.#events.send(message);
      this.#events.end();
      return;
    }
    const parts = this.#options.serialized?.split(message);
    if (parts) sendParts(this.#response, status, parts);
    else sendJson(this.#response, status, message, headers);
  }
}

const noHeaders = {};

function acceptsStream({ headers }: IncomingMessage): boolean {
  return /text\/event-stream|\*\/\*/.test(headers.accept ?? '*/*');
}

function abortedOnDisconnect(response: ServerResponse): AbortSource {
  const disconnected = new LightAbort();
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort(new Error('The client went away'));
  });
  return disconnected;
}

/** Sends a JSON response; does nothing if the response has begun or the client has disconnected. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = noHeaders,
): void {
  sendParts(response, status, { head: toJsonText(body) }, headers);
}

export function sendFailure(response: ServerResponse, { code, message, data, status }: ToolwharfError): void {
  const { retryAfterMs } = data;
  const wait = typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  sendJson(response, status, { error: { code, message } }, { ...wait });
}

function sendParts(
  response: ServerResponse,
  status: number,
  { head, tail }: { readonly head: string; readonly tail?: Buffer },
  headers: Readonly<Record<string, string>> = noHeaders,
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.byteLength(head) + (tail?.length ?? 0);
  // `writeHead` is fastest with a flat list of names and values.
  const fields = ['content-type', 'application/json', 'content-length', String(bytes)];
  for (const name in headers) fields.push(name, headers[name] ?? '');
  response.writeHead(status, fields);
  if (tail) response.write(head);
  response.end(tail ?? head);
}
