import type { Readable } from 'node:stream';
import type { EventStreamBody } from './event-stream.ts';
import type { ResponseHead } from './exchange.ts';
import { decoder, readAll, type UnreadBody } from './pool-response.ts';

/**
 * The part of a `Response` that a transport needs. A real one is created for other packages only: the first one loads the whole
 * `fetch` of Node, which takes 30 ms of processor time and some megabytes.
 */
export interface HttpReply {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Pick<Headers, 'get'>;
  text(): Promise<string>;
  /** The body as an event stream; undefined in a real `Response`. */
  readonly events?: EventStreamBody;
}

/** A reply whose body has not been read. */
export function createUnreadReply({ statusCode, statusText, headers }: ResponseHead, body: UnreadBody): HttpReply {
  return {
    status: statusCode,
    statusText,
    ok: statusCode >= 200 && statusCode < 300,
    headers: { get: (name) => headerOf(headers, name) },
    text: async () => decoder.decode(await readAll(body)),
    events: body,
  };
}

/** Returns a header by its name in lower case; null if it is missing. */
export function headerOf(headers: ResponseHead['headers'], name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** Discards the body of a reply that nobody reads. */
export function discard(body: Readable): void {
  body.on('error', () => {}).destroy();
}
