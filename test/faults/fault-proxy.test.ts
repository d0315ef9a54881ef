import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { openFaultProxy } from './support/fault-proxy.ts';

/** An echo server behind the proxy, and a client with the bytes it received. */
async function setUp() {
  let received = '';
  const served = new Set<Socket>();
  const server = createServer((socket) => {
    served.add(socket);
    socket.on('error', () => {}).on('close', () => served.delete(socket));
    socket.on('data', (piece) => {
      received += piece;
      socket.write(piece);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await openFaultProxy((server.address() as AddressInfo).port);
  const client = connect(proxy.port, '127.0.0.1');
  let heard = '';
  let ended: string | undefined;
  client.on('data', (piece) => {
    heard += piece;
  });
  client.on('error', (cause: NodeJS.ErrnoException) => {
    ended = cause.code;
  });
  client.on('close', () => {
    ended ??= 'closed';
  });
  await once(client, 'connect');
  return {
    proxy,
    client,
    served,
    heard: () => heard,
    received: () => received,
    ended: () => ended,
    async [Symbol.asyncDispose]() {
      client.destroy();
      await proxy[Symbol.asyncDispose]();
      const closed = once(server, 'close');
      server.close();
      for (const socket of served) socket.destroy();
      await closed;
    },
  };
}

test('the proxy forwards all bytes and the end of the connection by default', async () => {
  await using line = await setUp();
  line.client.write('hello');
  await waitFor(() => line.heard() === 'hello');
  line.client.end();
  await waitFor(() => line.ended() === 'closed' && line.proxy.open === 0 && line.served.size === 0);
});

test('the proxy silently drops one direction', async () => {
  await using line = await setUp();
  line.proxy.set({ drop: 'to-client' });
  line.client.write('lost answer');
  const answer = 'lost answer'.length;
  await waitFor(() => line.proxy.dropped === answer);
  line.proxy.set({ drop: 'to-server' });
  line.client.write('lost question');
  await waitFor(() => line.proxy.dropped === answer + 'lost question'.length);
  line.proxy.set({});
  line.client.write('!');
  await waitFor(() => line.heard() === '!');
  expect(line.received()).toBe('lost answer!');
});

test('the proxy resets the connection in the middle of a response', async () => {
  await using line = await setUp();
  line.proxy.set({ resetAfterBytes: 4 });
  line.client.write('0123456789');
  await waitFor(() => line.ended() === 'ECONNRESET');
  expect(line.received()).toBe('0123456789');
  expect('0123').toContain(line.heard());
});

test('the proxy delays and throttles bytes without reordering them', async () => {
  await using line = await setUp();
  line.proxy.set({ latencyMs: 30, bytesPerSecond: 1_000 });
  const from = performance.now();
  line.client.write('x'.repeat(100));
  await waitFor(() => line.heard().length === 100);
  // Twice 30 ms and twice a tenth of a second.
  expect(performance.now() - from).toBeGreaterThan(250);
});

test('the proxy closes, resets, refuses or half-opens connections', async () => {
  for (const [how, expected] of [
    ['close', 'closed'],
    ['reset', 'ECONNRESET'],
  ] as const) {
    await using line = await setUp();
    await waitFor(() => line.served.size === 1);
    line.proxy.end(how);
    await waitFor(() => line.ended() === expected);
  }
  await using line = await setUp();
  await waitFor(() => line.served.size === 1);
  line.proxy.end('half-open');
  await waitFor(() => line.served.size === 0);
  line.client.write('anybody?');
  await wait(50);
  expect([line.ended(), line.heard(), line.proxy.open]).toEqual([undefined, '', 1]);
  line.proxy.set({ refuse: true });
  const late = connect(line.proxy.port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => late.once('close', resolve));
  expect(line.proxy.open).toBe(1);
});
