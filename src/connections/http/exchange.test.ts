import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { type ExchangeOptions, exchange } from './exchange.ts';

async function place(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent();
  const { port } = server.address() as AddressInfo;
  return {
    ask: (options: Partial<ExchangeOptions> = {}) =>
      exchange(
        agent,
        { origin: `http://127.0.0.1:${port}`, path: '/', method: 'POST', body: '{}' },
        { maxBytes: 1_000, idleMs: 120_000, ...options },
      ),
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json = { 'content-type': 'application/json; charset=utf-8' };

test('a whole JSON answer comes as its text, in however many pieces it was sent', async () => {
  await using server = await place((_request, response) => {
    const bytes = Buffer.from('{"text":"grüße"}');
    response.writeHead(200, json);
    response.write(bytes.subarray(0, 12));
    setTimeout(() => response.end(bytes.subarray(12)), 20);
  });
  expect(await server.ask()).toEqual({ text: '{"text":"grüße"}' });
});

test('anything else comes as what it is, to be read by whoever knows what to do with it', async () => {
  await using server = await place((_request, response) => {
    response.writeHead(202, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    response.end('data: 2\n\n');
  });
  const answer = await server.ask();
  if (answer.text !== undefined) throw new Error('it is no JSON');
  expect(answer.data).toMatchObject({ statusCode: 202, headers: { 'content-type': 'text/event-stream' } });
  expect((await answer.body.toArray()).join('')).toBe('data: 1\n\ndata: 2\n\n');
});

test('an answer that grows too large is not read to its end', async () => {
  await using server = await place((_request, response) => {
    response.writeHead(200, json);
    response.end(`"${'x'.repeat(2_000)}"`);
  });
  await expect(server.ask()).rejects.toMatchObject({ code: 'SERVER_PROTOCOL', data: { limitBytes: 1_000 } });
});

test('a server that falls silent in the middle of its answer is not waited for', async () => {
  await using server = await place((_request, response) => {
    response.writeHead(200, json);
    response.write('{');
  });
  await expect(server.ask({ idleMs: 50 })).rejects.toThrow('stopped in the middle of its answer for 50 ms');
});

test('a request that is not wanted any more is closed, before its answer and in the middle of one', async () => {
  const closed: string[] = [];
  let requests = 0;
  await using server = await place((request, response) => {
    requests++;
    request.socket.once('close', () => closed.push('closed'));
    if (closed.length === 0) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  let end = () => {};
  const onEnded = (listener: () => void) => {
    end = listener;
  };
  const waiting = server.ask({ onEnded });
  const refused = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => requests).toBe(1);
  end();
  await refused;
  await expect.poll(() => closed).toHaveLength(1);

  const streamed = await server.ask({ onEnded });
  if (streamed.text !== undefined) throw new Error('it is no JSON');
  const read = streamed.body.toArray();
  end();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => closed).toHaveLength(2);
});

test('one that was not wanted before it began is not sent', async () => {
  let requests = 0;
  await using server = await place((_request, response) => {
    requests++;
    response.end();
  });
  await expect(server.ask({ onEnded: (listener) => listener() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(requests).toBe(0);
});
