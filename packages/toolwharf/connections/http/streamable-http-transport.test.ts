import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import type { StreamMessageInfo } from '../channel.ts';
import { createNotificationThrottle } from '../notification-throttle.ts';
import type { ChannelSendOptions } from '../pending-request.ts';
import { createPoolFetch } from './pool-fetch.ts';
import { createStreamableHttpTransport } from './streamable-http-transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A transport to a server with this request handler, and the requests that the server received. */
async function setUp(handler: Handler, maxEventBytes?: number) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const throttle = createNotificationThrottle();
  const pool = createPoolFetch({ throttle, maxEventBytes });
  const transport = createStreamableHttpTransport(url, { ...pool, headers: { 'X-Team': 'a' }, throttle });
  const received: { message: JSONRPCMessage; requestId: unknown }[] = [];
  transport.onmessage = (message, info?: StreamMessageInfo) =>
    received.push({ message, requestId: info?.relatedRequestId });
  return {
    url,
    transport,
    received,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await pool.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x' } } as const;
const reply = { jsonrpc: '2.0', id: 7, result: {} } as const;
const log = { jsonrpc: '2.0', method: 'notifications/message', params: {} } as const;
const events = { 'content-type': 'text/event-stream' };
const data = (message: unknown, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

test('messages of a response stream carry the id of the request that the stream answers', async () => {
  await using subject = await setUp((_request, response) => {
    response.writeHead(200, events);
    response.write(data(log));
    response.end(data(reply));
  });
  await subject.transport.send(call);
  await expect.poll(() => subject.received).toHaveLength(2);
  expect(subject.received).toEqual([
    { message: log, requestId: 7 },
    { message: reply, requestId: 7 },
  ]);
});

test.each([400, 404, 500])(
  'the JSON-RPC error in the body of a response with HTTP %i answers the request',
  async (status) => {
    const error = { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'Method not found' } };
    await using subject = await setUp((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
    });
    await subject.transport.send(call);
    expect(subject.received).toEqual([{ message: error, requestId: 7 }]);
  },
);

test('HTTP 404 within a session answers the request if its body says that the method is unknown, else the session is lost', async () => {
  let code = 0;
  await using subject = await setUp((request, response) => {
    const hasSession = request.headers['mcp-session-id'] === 'one';
    const body = hasSession ? { jsonrpc: '2.0', id: 7, error: { code, message: 'no' } } : reply;
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'one' };
    response.writeHead(hasSession ? 404 : 200, headers).end(JSON.stringify(body));
  });
  await subject.transport.send({ ...call, method: 'initialize' });
  code = -32601;
  await subject.transport.send(call);
  expect(subject.received[1]).toMatchObject({ message: { error: { code: -32601 } }, requestId: 7 });
  code = -32001;
  await expect(subject.transport.send(call)).rejects.toMatchObject({ data: { status: 404 } });
  expect(subject.received).toHaveLength(2);
});

test('a response stream that ends without its reply resumes after its last event', async () => {
  const resumed: unknown[] = [];
  await using subject = await setUp((request, response) => {
    response.writeHead(200, events);
    if (request.method === 'POST') response.end(`retry: 1\n${data(log, 'first')}`);
    else {
      resumed.push(request.headers['last-event-id']);
      response.end(data(reply, 'second'));
    }
  });
  await subject.transport.send(call);
  await expect.poll(() => subject.received).toHaveLength(2);
  expect(subject.received[1]).toEqual({ message: reply, requestId: 7 });
  expect(resumed).toEqual(['first']);
});

test('a response stream without event ids that ends without its reply ends the request', async () => {
  await using subject = await setUp((_request, response) => {
    response.writeHead(200, events);
    response.end(data(log));
  });
  const ended = Promise.withResolvers<void>();
  await subject.transport.send(call, { onRequestStreamEnd: ended.resolve });
  await ended.promise;
});

test('a stream that cannot be opened again after five attempts is reported as lost', async () => {
  let attempts = 0;
  await using subject = await setUp((request, response) => {
    if (request.method === 'POST') {
      response.writeHead(200, events);
      response.end(`retry: 1\n${data(log, 'first')}`);
      return;
    }
    attempts++;
    response.writeHead(503).end();
  });
  const lost = Promise.withResolvers<void>();
  subject.transport.onstreamlost = lost.resolve;
  await subject.transport.send(call);
  await lost.promise;
  expect(attempts).toBe(5);
});

test('an event over the size limit fails its request and is not resumed', async () => {
  await using subject = await setUp((_request, response) => {
    response.writeHead(200, events);
    response.write(data(log, 'first'));
    response.write(`data: ${'x'.repeat(2_000)}`);
  }, 1_000);
  const failed = Promise.withResolvers<unknown>();
  const options: ChannelSendOptions = { onUnreadable: failed.resolve };
  await subject.transport.send(call, options);
  expect(await failed.promise).toMatchObject({ code: 'SERVER_PROTOCOL', data: { limitBytes: 1_000 } });
});

test('the session of the initialize response is sent with each later request', async () => {
  const sessions: unknown[] = [];
  await using subject = await setUp((request, response) => {
    sessions.push([request.method, request.headers['mcp-session-id'], request.headers['x-team']]);
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' });
    response.end(JSON.stringify(reply));
  });
  await subject.transport.send({ ...call, method: 'initialize' });
  await subject.transport.send(call);
  await subject.transport.terminateSession();
  expect(subject.transport.sessionId).toBeUndefined();
  expect(sessions).toEqual([
    ['POST', undefined, 'a'],
    ['POST', 's1', 'a'],
    ['DELETE', 's1', 'a'],
  ]);
});

test('a redirect within the same origin is followed, and any other is rejected', async () => {
  let location = '/moved';
  await using subject = await setUp((request, response) => {
    if (request.url === '/moved')
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    else response.writeHead(307, { location }).end();
  });
  await subject.transport.send(call);
  expect(subject.received).toEqual([{ message: reply, requestId: 7 }]);
  location = 'http://elsewhere.example/mcp?token=1';
  await expect(subject.transport.send(call)).rejects.toMatchObject({
    data: { status: 307, text: expect.stringContaining('Redirect to http://elsewhere.example/mcp not followed') },
  });
});

test('a standing stream that the server ends again and again without an event is opened less and less often', async () => {
  const opened: number[] = [];
  await using subject = await setUp((request, response) => {
    if (request.method !== 'GET') return response.writeHead(202).end();
    opened.push(performance.now());
    response.writeHead(200, events);
    return response.end('retry: 0\n\n');
  });
  await subject.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await expect.poll(() => opened.length, { timeout: 60_000 }).toBe(6);
  // The timers wait 100, 200, 300, 400 and 500 ms; a slow machine only adds to that.
  expect((opened.at(-1) ?? 0) - (opened[0] ?? 0)).toBeGreaterThan(1_400);
});

test('a session of requests, notifications and streams creates no Response, whose first use loads the fetch of Node', async () => {
  await using subject = await setUp((request, response) => {
    if (request.method === 'GET') return response.writeHead(200, events).end(data(log));
    if (request.method === 'DELETE') return response.writeHead(405).end();
    request.setEncoding('utf8').on('data', (body: string) => {
      const headers = { 'content-type': 'application/json', 'mcp-session-id': 's1' };
      if (JSON.parse(body).id === undefined) response.writeHead(202).end();
      else response.writeHead(200, headers).end(JSON.stringify(reply));
    });
    return response;
  });
  const created = [vi.spyOn(globalThis, 'Response'), vi.spyOn(globalThis, 'Headers')];
  try {
    await subject.transport.send({ ...call, method: 'initialize' });
    await subject.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await expect.poll(() => subject.received.map(({ message }) => message)).toContainEqual(log);
    await subject.transport.terminateSession();
    for (const spy of created) expect(spy).not.toHaveBeenCalled();
  } finally {
    for (const spy of created) spy.mockRestore();
  }
});

test('closing ends a stream that the server has not answered yet', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  await using subject = await setUp((request, response) => {
    if (request.method === 'GET') arrived.resolve(request);
    else response.writeHead(202).end();
  });
  await subject.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { socket } = await arrived.promise;
  const closed = once(socket, 'close');
  await subject.transport.close();
  await closed;
});
