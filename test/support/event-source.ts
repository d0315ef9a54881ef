import { expect } from 'vitest';
import type { z } from 'zod';
import { eventSchemas } from '../../packages/contract/api/events.ts';
import { waitFor } from './wait-for.ts';

export interface SentEvent {
  /** Empty for an event that is not retained. */
  readonly id: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of all shapes; each is validated against its schema first.
  readonly data: any;
}

export interface EventSource extends AsyncDisposable {
  readonly events: readonly SentEvent[];
  /** The raw text of the stream so far. */
  readonly text: () => string;
  readonly ended: () => boolean;
  /** Waits for the first event that matches. */
  find(name: string, fits?: (data: SentEvent['data']) => boolean): Promise<SentEvent>;
}

export interface EventSourceOptions {
  readonly key?: string;
  readonly lastEventId?: string;
  readonly query?: string;
  /** Default: `/api/events`. */
  readonly path?: string;
  /** The allowed events; default: those of `/api/events`. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>;
}

/** Listens to the events of a gateway; disposing stops it. */
export async function listenTo(
  url: string,
  { key, lastEventId, query = '', path = '/api/events', schemas = eventSchemas }: EventSourceOptions = {},
): Promise<EventSource> {
  const stop = new AbortController();
  const response = await fetch(`${url}${path}${query}`, {
    signal: stop.signal,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: SentEvent[] = [];
  let text = '';
  let ended = false;

  async function read(): Promise<void> {
    let rest = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const frames = (rest + part).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) take(frame);
    }
  }

  function take(frame: string): void {
    const [, id = '', name = '', data = ''] = /^(?:id: (.*)\n)?event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    if (name === '') return;
    const parsed = JSON.parse(data);
    expect(Object.hasOwn(schemas, name) && schemas[name]?.safeParse(parsed).success, frame).toBe(true);
    if (name === 'alive') return;
    events.push({ id, name, data: parsed });
  }

  const reading = read()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  return {
    events,
    text: () => text,
    ended: () => ended,
    async find(name, fits = () => true) {
      const found = await waitFor(() => events.find((event) => event.name === name && fits(event.data)), {
        what: `an event ${name}`,
      });
      return found as SentEvent;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
}
