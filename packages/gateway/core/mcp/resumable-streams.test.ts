import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createReplayMemory } from './replay-memory.ts';
import { createResumableStreams } from './resumable-streams.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A response, and the messages that its client receives. */
async function connect() {
  const accepted = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => accepted.resolve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port });
  request.on('error', () => {});
  const response = await accepted.promise;
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = {
    text: '',
    ids: () => [...client.text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id),
    data: () => [...client.text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data)),
    async lose() {
      request.destroy();
      if (!response.closed) await once(response, 'close');
    },
    ended: new Promise<void>((resolve) => {
      request.on('response', (incoming: IncomingMessage) => {
        incoming.setEncoding('utf8').on('data', (piece: string) => {
          client.text += piece;
        });
        incoming.on('end', resolve).on('error', () => {});
      });
    }),
  };
  return { response, client };
}

const setUp = (primes = true, memory = createReplayMemory()) => ({
  memory,
  streams: createResumableStreams({ caller: 'c', memory, primes, sentMs: 100 }),
});

test('a client that lost its connection gets the messages after its last event, and the response', async () => {
  const { streams, memory } = setUp();
  const first = await connect();
  const stream = streams.open('request', first.response);
  stream.send({ step: 1 });
  await expect.poll(() => first.client.data()).toEqual([{ step: 1 }]);
  await first.client.lose();
  expect(stream.closed).toBe(true);
  stream.send({ step: 2 });
  const second = await connect();
  expect(streams.resume(first.client.ids().at(-1) ?? '', second.response)?.kind).toBe('request');
  stream.send({ done: true });
  stream.end();
  await second.client.ended;
  expect(second.client.data()).toEqual([{ step: 2 }, { done: true }]);
  await expect.poll(() => memory.bytes).toBe(0);
});

test('a stream that ended while its client was disconnected is replayed and ended', async () => {
  const { streams } = setUp();
  const first = await connect();
  const stream = streams.open('request', first.response);
  await expect.poll(() => first.client.ids()).toHaveLength(1);
  await first.client.lose();
  stream.send({ done: true });
  stream.end();
  const second = await connect();
  streams.resume(first.client.ids()[0] ?? '', second.response);
  await second.client.ended;
  expect(second.client.data()).toEqual([{ done: true }]);
});

test('a stream starts with an event without data only for clients that expect it', async () => {
  for (const primes of [true, false]) {
    const { response, client } = await connect();
    setUp(primes).streams.open('standing', response).send({ first: 1 });
    await expect.poll(() => client.data()).toEqual([{ first: 1 }]);
    expect(client.ids()).toHaveLength(primes ? 2 : 1);
  }
});

test('messages for a standing stream are kept while its client is disconnected', async () => {
  const { streams } = setUp();
  const first = await connect();
  streams.open('standing', first.response);
  await expect.poll(() => first.client.ids()).toHaveLength(1);
  await first.client.lose();
  streams.keep({ changed: 1 });
  const second = await connect();
  streams.resume(first.client.ids()[0] ?? '', second.response)?.stream.send({ changed: 2 });
  await expect.poll(() => second.client.data()).toEqual([{ changed: 1 }, { changed: 2 }]);
});

test.each([
  ['', undefined],
  ['x', undefined],
  ['request.elsewhere.1.0', undefined],
  ['standing.elsewhere.1.0', 'standing'],
  ['standing', 'standing'],
])('the unknown event id %j resumes only a standing stream, which starts anew', async (id, kind) => {
  const { response } = await connect();
  expect(setUp().streams.resume(id, response)?.kind).toBe(kind);
});

test('events that were never sent, or of another kind of stream, resume nothing', async () => {
  const { streams } = setUp();
  const first = await connect();
  streams.open('request', first.response).send({});
  await expect.poll(() => first.client.ids()).toHaveLength(2);
  const [id = ''] = first.client.ids();
  const { response } = await connect();
  for (const forged of [
    id.replace(/0$/, '7'),
    id.replace(/0$/, '-1'),
    id.replace(/0$/, '0.5'),
    id.replace(/\.1\./, '.9.'),
  ])
    expect(streams.resume(forged, response)).toBeUndefined();
});

test('a request whose kept messages were dropped to make room is not resumed', async () => {
  const { streams, memory } = setUp(true, createReplayMemory({ maxBytes: 10_000, maxBytesPerCaller: 5_000 }));
  const first = await connect();
  const stream = streams.open('request', first.response);
  await expect.poll(() => first.client.ids()).toHaveLength(1);
  await first.client.lose();
  for (let count = 0; count < 10; count++) stream.send({ text: 'x'.repeat(1_000) });
  stream.send({ text: 'x'.repeat(20_000) });
  expect(memory.bytes).toBeLessThan(5_000);
  const second = await connect();
  expect(streams.resume(first.client.ids()[0] ?? '', second.response)).toBeUndefined();
  streams.clear();
  expect(memory.bytes).toBe(0);
});

test('a stream that was sent to its end can be resumed: its client may have left before the last message arrived', async () => {
  const streams = createResumableStreams({ caller: 'c', memory: createReplayMemory(), primes: true });
  const first = await connect();
  const stream = streams.open('request', first.response);
  await expect.poll(() => first.client.ids()).toHaveLength(1);
  stream.send({ done: true });
  stream.end();
  await first.client.ended;
  await expect.poll(() => streams.isConnected).toBe(false);
  const second = await connect();
  streams.resume(first.client.ids()[0] ?? '', second.response);
  await second.client.ended;
  expect(second.client.data()).toEqual([{ done: true }]);
  streams.clear();
});

test('of the streams that were sent to their end, only the latest are kept', async () => {
  const memory = createReplayMemory();
  const streams = createResumableStreams({ caller: 'c', memory, primes: true });
  const ids: string[] = [];
  for (let index = 0; index < 20; index++) {
    const { client, response } = await connect();
    const stream = streams.open('request', response);
    stream.send({ index });
    stream.end();
    await client.ended;
    await expect.poll(() => streams.isConnected).toBe(false);
    ids.push(client.ids()[0] ?? '');
  }
  const { response } = await connect();
  expect(streams.resume(ids[3] ?? '', response)).toBeUndefined();
  expect(streams.resume(ids[4] ?? '', response)).toBeDefined();
  streams.clear();
  expect(memory.bytes).toBe(0);
});
