import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolwharfError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type EventStream, type EventStreamOptions, openEventStream } from './event-stream.ts';
import type { SerializedCache } from './serialized-cache.ts';

/** Responds to one HTTP request: with plain JSON, or with an event stream if other messages precede the response. */
export interface Responder {
  /** Sends a message before the response; does nothing if the client accepts no stream. */
  send(message: JsonObject): void;
  /** Returns the stream and opens it if necessary; undefined if the client does not accept streams. */
  stream(): EventStream | undefined;
  /** Sends the response. `status` and `headers` are ignored once a stream is open. */
  finish(message: JsonObject, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** Aborts when the client disconnects before the response, unless `cancelsOnDisconnect` is false. */
  readonly signal: AbortSignal;
}

export interface ResponderOptions {
  /** True by default. In the legacy era only `notifications/cancelled` cancels a request. */
  readonly cancelsOnDisconnect?: boolean;
  readonly serialized?: SerializedCache;
  /** Opens the event stream; the client cannot resume it by default. */
  readonly open?: (response: ServerResponse, options: Pick<EventStreamOptions, 'stringify'>) => EventStream;
}

/** The signal of requests that a disconnect does not cancel. These requests share one signal, on which listeners would leak. */
export const neverAborts: AbortSignal = new AbortController().signal;

export function createResponder(
  request: IncomingMessage,
  response: ServerResponse,
  { cancelsOnDisconnect = true, serialized, open = openEventStream }: ResponderOptions = {},
): Responder {
  const accept = request.headers.accept ?? '*/*';
  const acceptsStream = /text\/event-stream|\*\/\*/.test(accept);
  const disconnected = cancelsOnDisconnect ? new AbortController() : undefined;
  let events: EventStream | undefined;
  if (disconnected) {
    response.once('close', () => {
      if (!response.writableFinished) disconnected.abort(new Error('The client went away'));
    });
  }

  function stream(): EventStream | undefined {
    if (!events && acceptsStream && !response.headersSent && !response.destroyed)
      events = open(response, { stringify: serialized?.stringify });
    return events;
  }

  return {
    signal: disconnected?.signal ?? neverAborts,
    stream,
    send: (message) => stream()?.send(message),
    finish(message, status = 200, headers = {}) {
      if (events) {
        events.send(message);
        events.end();
        return;
      }
      const parts = serialized?.split(message);
      if (parts) sendParts(response, status, parts);
      else sendJson(response, status, message, headers);
    },
  };
}

/** Sends a JSON response; does nothing if the response has begun or the client has disconnected. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendParts(response, status, { head: JSON.stringify(body) }, headers);
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
  headers: Readonly<Record<string, string>> = {},
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
