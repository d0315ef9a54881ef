import { expect, test } from 'vitest';
import { readEventStream, type SentEvent } from './read-event-stream.ts';

async function read(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  const events: SentEvent[] = [];
  for await (const event of readEventStream(body)) events.push(event);
  return events;
}

test.each([1, 2, 5, 1_000])('events are read whole, whatever pieces of %i bytes they come in', async (size) => {
  const text = [
    'retry: 2000\n\n: a comment\n\nid: 1\nevent: text\ndata: {"a":"ä😀"}\n\n',
    'data:one\ndata: two\r\n\r\nevent: cut\n\n',
    'event: text\ndata: never finished',
  ].join('');
  expect(await read(text, size)).toEqual([
    { name: 'text', data: '{"a":"ä😀"}' },
    { name: 'message', data: 'one\ntwo' },
  ]);
});
