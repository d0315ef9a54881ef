import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { LightAbort } from '../../kernel/abort-source.ts';
import { type ExchangeLimits, type ExchangeOptions, exchange } from './exchange.ts';

async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent();
  const { port } = server.address() as AddressInfo;
  return {
    send: ({ maxBytes = 1_000, idleMs = 120_000, ...options }: Partial<ExchangeLimits> & ExchangeOptions = {}) =>
      exchange(
        agent,
        { origin: `http://127.0.0.1:${port}`, path: '/', method: 'POST', body: '{}' },
        { maxBytes, idleMs },
        options,
      ),
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json = { 'content-type': 'application/json; charset=utf-8' };

test('a JSON body is returned as text, regardless of the number of chunks', async () => {
  await using server = await startServer((_request, response) => {
    const bytes = Buffer.from('{"text":"grüße"}');
    response.writeHead(200, json);
    response.write(bytes.subarray(0, 12));
    setTimeout(() => response.end(bytes.subarray(12)), 20);
  });
  expect(await server.send()).toMatchObject({ text: '{"text":"grüße"}', head: { statusCode: 200 } });
});

test('a large JSON body is the same text, although it is decoded while it arrives', async () => {
  const sent = JSON.stringify({ text: 'grüße €𝄞 '.repeat(200_000) });
  await using server = await startServer((_request, response) => {
    response.writeHead(200, json);
    const bytes = Buffer.from(sent);
    for (let at = 0; at < bytes.length; at += 65_537) response.write(bytes.subarray(at, at + 65_537));
    response.end();
  });
  const { text } = await server.send({ maxBytes: 10_000_000 });
  expect(text === sent).toBe(true);
});

test('a body that is not JSON is returned unread', async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(202, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    response.end('data: 2\n\n');
  });
  const answer = await server.send();
  if (answer.text !== undefined) throw new Error('the body is not JSON');
  expect(answer.head).toMatchObject({ statusCode: 202, headers: { 'content-type': 'text/event-stream' } });
  expect((await answer.body.toArray()).join('')).toBe('data: 1\n\ndata: 2\n\n');
});

test('a JSON body over the size limit is not read to its end', async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(200, json);
    response.end(`"${'x'.repeat(2_000)}"`);
  });
  await expect(server.send()).rejects.toMatchObject({ code: 'SERVER_PROTOCOL', data: { limitBytes: 1_000 } });
});

test('a JSON body that stops before its end fails after the idle timeout', async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(200, json);
    response.write('{');
  });
  await expect(server.send({ idleMs: 50 })).rejects.toThrow('stopped in the middle of its answer for 50 ms');
});

test('a cancelled request is closed, both before its response and in the middle of it', async () => {
  const closed: string[] = [];
  let requests = 0;
  await using server = await startServer((request, response) => {
    requests++;
    request.socket.once('close', () => closed.push('closed'));
    if (closed.length === 0) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  const first = new LightAbort();
  const waiting = server.send({ signal: first });
  const refused = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => requests).toBe(1);
  first.abort();
  await refused;
  await expect.poll(() => closed).toHaveLength(1);

  const second = new LightAbort();
  const streamed = await server.send({ signal: second });
  if (streamed.text !== undefined) throw new Error('the body is not JSON');
  const read = streamed.body.toArray();
  second.abort();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => closed).toHaveLength(2);
});

test('a request that was cancelled before it started is not sent', async () => {
  let requests = 0;
  await using server = await startServer((_request, response) => {
    requests++;
    response.end();
  });
  const signal = new LightAbort();
  signal.abort();
  await expect(server.send({ signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(requests).toBe(0);
});
