import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../kernel/json.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { toKeptBytes } from './kept-json.ts';

/** One answer over HTTP: plain JSON, or an event stream as soon as anything has to be said before it. */
export interface Responder {
  /** Sends something before the answer; does nothing where the client takes no stream. */
  send(message: JsonObject): void;
  /** The open stream; undefined where the client takes none. */
  stream(): EventStream | undefined;
  /** The answer itself. Its status counts only while nothing was streamed. */
  finish(message: JsonObject, status?: number): void;
  /** Aborts when the client goes away before the answer, where that means it no longer wants one. */
  readonly signal: AbortSignal;
}

export interface ResponderOptions {
  /** A lost connection cancels; true. In the legacy era only the client's word does. */
  readonly cancelsOnLoss?: boolean;
}

/** For requests that only the client's word cancels. Nobody may listen to it: it is shared by all of them. */
export const neverAborts: AbortSignal = new AbortController().signal;

export function createResponder(
  request: IncomingMessage,
  response: ServerResponse,
  { cancelsOnLoss = true }: ResponderOptions = {},
): Responder {
  const accept = request.headers.accept ?? '*/*';
  const takesStream = /text\/event-stream|\*\/\*/.test(accept);
  const gone = cancelsOnLoss ? new AbortController() : undefined;
  let events: EventStream | undefined;
  if (gone) {
    response.once('close', () => {
      if (!response.writableFinished) gone.abort(new Error('The client went away'));
    });
  }

  function stream(): EventStream | undefined {
    if (!events && takesStream && !response.headersSent && !response.destroyed) events = openEventStream(response);
    return events;
  }

  return {
    signal: gone?.signal ?? neverAborts,
    stream,
    send: (message) => stream()?.send(message),
    finish(message, status = 200) {
      if (events) {
        events.send(message);
        events.end();
        return;
      }
      sendJson(response, status, message);
    },
  };
}

/** A whole JSON answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const kept = toKeptBytes(body);
  const text = kept ? kept.head : JSON.stringify(body);
  const bytes = Buffer.byteLength(text) + (kept?.tail.length ?? 0);
  // Names and values in turn are what costs least.
  const said = ['content-type', 'application/json', 'content-length', String(bytes)];
  for (const name in headers) said.push(name, headers[name] ?? '');
  response.writeHead(status, said);
  if (kept) response.write(text);
  response.end(kept ? kept.tail : text);
}
