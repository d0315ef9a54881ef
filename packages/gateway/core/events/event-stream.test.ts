import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type EventStreamOptions, openEventStream } from './event-stream.ts';

/** The first keep-alive that a client receives. */
async function firstKeepAlive(options: EventStreamOptions): Promise<string> {
  const server = createServer((_request, response) => void openEventStream(response, { keepAliveMs: 1, ...options }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      return `${part.split('\n\n')[0]}\n\n`;
    }
    throw new Error('the stream ended');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('an idle stream sends comments or the given event to keep the connection alive', async () => {
  expect(await firstKeepAlive({})).toBe(': still here\n\n');
  expect(await firstKeepAlive({ keepAlive: { name: 'alive', data: '{}' } })).toBe('event: alive\ndata: {}\n\n');
});
