import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
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

/** A successful reply as the text of its JSON body or as an event stream, or any other reply. */
export type PoolReply =
  | { readonly kind: 'json'; readonly text: string; readonly headers: ResponseHead['headers'] }
  | { readonly kind: 'events'; readonly events: EventStreamBody; readonly headers: ResponseHead['headers'] }
  | { readonly kind: 'other'; readonly reply: HttpReply };

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

/** A reply of the pool in this form. */
export function toHttpReply(reply: PoolReply): HttpReply {
  if (reply.kind === 'other') return reply.reply;
  const { headers } = reply;
  const common = {
    status: 200,
    statusText: 'OK',
    ok: true,
    headers: { get: (name: string) => headerOf(headers, name) },
  };
  if (reply.kind === 'json')
    return { ...common, events: { body: Readable.from([Buffer.from(reply.text)]) }, text: async () => reply.text };
  const { events } = reply;
  return { ...common, events, text: () => discardText(events) };
}

/** Nobody waits for the end of an event stream to read it as text. */
async function discardText({ body }: EventStreamBody): Promise<string> {
  body.destroy();
  return '';
}

/** The body as an event stream. `fetch` limits the size and rate of a body already. */
export function eventsOf(reply: HttpReply): EventStreamBody {
  if (reply.events) return reply.events;
  const { body } = reply as Response;
  return { body: body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]) };
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
