import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { ToolwharfError } from '../../../contract/errors.ts';
import { createNotificationThrottle } from '../notification-throttle.ts';
import { createPoolFetch, type PoolFetchOptions } from './pool-fetch.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(
  listener: RequestListener,
): Promise<{ url: string; server: Server; sockets: () => Promise<number> }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    sockets: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
  };
}

function createPool(options: PoolFetchOptions = {}) {
  const pool = createPoolFetch(options);
  cleanups.push(() => pool.close());
  return pool;
}

test('a pooled fetch sends the same requests as fetch, without requesting compression', async () => {
  const seen: IncomingMessage[] = [];
  const bodies: string[] = [];
  const { url } = await serve(async (request, response) => {
    seen.push(request);
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.writeHead(201, 'Made').end('{"ü":1}');
  });
  const { fetch } = createPool();
  const response = await fetch(`${url}/path?q=1`, { method: 'post', headers: { 'X-One': 'zwei' }, body: '{"a":"ä"}' });

  expect(response).toBeInstanceOf(Response);
  expect([response.ok, response.status, response.statusText, response.redirected]).toEqual([true, 201, 'Made', false]);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.json()).toEqual({ ü: 1 });
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/path?q=1' });
  expect(seen[0]?.headers).toMatchObject({
    'x-one': 'zwei',
    'accept-encoding': 'identity',
    'user-agent': expect.stringContaining('toolwharf/'),
  });

  await (await fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })).text();
  expect(seen[1]?.headers['content-type']).toContain('application/x-www-form-urlencoded');
  expect(bodies).toEqual(['{"a":"ä"}', 'a=b+c']);
});

test('a body can be read once, by every method of fetch', async () => {
  const { url } = await serve(
    (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('\ufeffgrüß'),
  );
  const { fetch } = createPool();
  expect(await (await fetch(url)).text()).toBe('grüß');
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).toString()).toBe('\ufeffgrüß');
  expect(Buffer.from(await (await fetch(url)).bytes()).toString()).toBe('\ufeffgrüß');
  expect(await (await (await fetch(url)).blob()).text()).toBe('grüß');
  const cloned = await fetch(url);
  expect(await cloned.clone().text()).toBe('grüß');
  expect(await cloned.text()).toBe('grüß');
  expect(cloned.bodyUsed).toBe(true);
  await expect(cloned.text()).rejects.toThrow(TypeError);
});

test('a response without a body has no body', async () => {
  const { url } = await serve((_request, response) => void response.writeHead(204).end());
  const response = await createPool().fetch(url);
  expect([response.status, response.body, await response.text()]).toEqual([204, null, '']);
});

test('an event stream arrives event by event, and cancelling it closes the connection', async () => {
  const served = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('data: 1\n\n');
    events.push((text) => response.write(text));
    response.on('close', () => closed.resolve());
  });
  const events: ((text: string) => void)[] = [];
  const closed = Promise.withResolvers<void>();
  const response = await createPool({ maxResponseBytes: 5, bodyTimeoutMs: 20 }).fetch(served.url);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();

  expect(text(await reader.read())).toBe('data: 1\n\n');
  await new Promise((resolve) => setTimeout(resolve, 60));
  events[0]?.('data: 2\n\n');
  expect(text(await reader.read())).toBe('data: 2\n\n');
  const waiting = reader.read();
  await reader.cancel();
  expect((await waiting).done).toBe(true);
  await closed.promise;
});

test('aborting a request rejects with the reason, before the response and in the middle of it', async () => {
  const { url } = await serve((request, response) => {
    if (request.url === '/stream')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  });
  const { fetch } = createPool();
  const reason = new Error('enough');
  const early = new AbortController();
  const waiting = fetch(url, { signal: early.signal });
  setTimeout(() => early.abort(reason), 20);
  await expect(waiting).rejects.toBe(reason);
  await expect(fetch(url, { signal: early.signal })).rejects.toBe(reason);

  const late = new AbortController();
  const reader = (
    (await fetch(`${url}/stream`, { signal: late.signal })).body as ReadableStream<Uint8Array>
  ).getReader();
  await reader.read();
  const next = reader.read();
  late.abort(reason);
  await expect(next).rejects.toBe(reason);
});

test('a response over the size limit is an error, whether or not its length is announced', async () => {
  const { url } = await serve((request, response) => {
    if (request.url === '/announced') response.setHeader('content-length', 2_000);
    response.write('x'.repeat(1_500));
    response.end('x'.repeat(500));
  });
  const { fetch } = createPool({ maxResponseBytes: 1_000 });
  await expect(fetch(`${url}/announced`)).rejects.toThrow(/more than 1000 bytes/);
  const unannounced = await fetch(url);
  await expect(unannounced.text()).rejects.toMatchObject({ code: 'SERVER_PROTOCOL', data: { limitBytes: 1_000 } });
});

test('an event over the size limit ends the stream with an error', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let index = 0; index < 10; index++) response.write(`data: ${'x'.repeat(80)}\n\n`);
    response.write(`data: ${'x'.repeat(200)}`);
  });
  const response = await createPool({ maxEventBytes: 100 }).fetch(url);
  await expect(response.text()).rejects.toThrow(/event of more than 100 bytes/);
});

test('an event stream is read completely and in order at the rate of its throttle, and other responses at once', async () => {
  const text = Array.from({ length: 5_000 }, (_, index) => `data: ${index}\n\n`).join('');
  const { url } = await serve((request, response) => {
    const type = request.url === '/events' ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type }).end(text);
  });
  const throttle = createNotificationThrottle({ burst: 1, perSecond: 1_000 });
  const { fetch } = createPool({ throttle });
  let received = '';
  for await (const piece of (await fetch(`${url}/events`)).body ?? []) {
    expect(piece.byteLength).toBeLessThanOrEqual(4_096);
    received += Buffer.from(piece).toString();
    throttle.count();
  }
  expect(received).toBe(text);
  for (let count = 0; count < 1_000_000; count++) throttle.count();
  expect(await (await fetch(`${url}/whole`)).text()).toBe(text);
});

test('every request has timeouts for the connection, the headers and the body [R20]', async () => {
  const { url } = await serve((request, response) => {
    if (request.url === '/half') response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  });
  await expect(createPool({ headersTimeoutMs: 50 }).fetch(url)).rejects.toThrow(/Headers Timeout/);
  const half = await createPool({ bodyTimeoutMs: 50 }).fetch(`${url}/half`);
  await expect(half.text()).rejects.toThrow(/stopped in the middle/);
});

test('a network error is a TypeError that names the origin but not the path', async () => {
  // Nothing listens on this port, and no other test can be given it.
  const url = 'http://127.0.0.1:3';
  const error = (await createPool()
    .fetch(`${url}/secret-path?token=secret`)
    .catch((cause) => cause)) as TypeError;
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toContain(url);
  expect(error.message).not.toContain('secret');
  expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
});

test('a response that is truncated, has too many headers, is compressed or is not HTTP is an error', async () => {
  const raw = createSocketServer((socket) => {
    socket.once('data', (data) => {
      if (String(data).includes('/cut')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this');
      else if (String(data).includes('/headers')) socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
      else if (String(data).includes('/status')) socket.end('HTTP/1.1 799 What\r\ncontent-length: 0\r\n\r\n');
      else socket.end('220 mail.example ESMTP\r\n');
    });
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  cleanups.push(() => new Promise((resolve) => raw.close(resolve)));
  const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`;
  const { fetch } = createPool();
  const cut = await fetch(`${url}/cut`);
  await expect(cut.text()).rejects.toThrow(TypeError);
  await expect(fetch(`${url}/headers`)).rejects.toThrow(/Headers Overflow/);
  await expect(fetch(`${url}/status`)).rejects.toThrow(ToolwharfError);
  await expect(fetch(`${url}/mail`)).rejects.toThrow(TypeError);

  const squeezed = await serve(
    (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000))),
  );
  await expect(fetch(squeezed.url)).rejects.toThrow(/compressed/);
});

test('a body that failed before it is read rejects when it is read', async () => {
  const { url, server, sockets } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
  });
  const { fetch } = createPool();
  const [whole, streamed] = await Promise.all([fetch(url), fetch(url)]);
  server.closeAllConnections();
  await expect.poll(sockets).toBe(0);
  await expect(whole.text()).rejects.toThrow(TypeError);
  const reader = (streamed.body as ReadableStream<Uint8Array>).getReader();
  await expect(reader.read().then(() => reader.read())).rejects.toThrow(TypeError);
});

test('connections are reused, and close() closes all of them', async () => {
  const { url, sockets } = await serve((request, response) => {
    if (request.url === '/stream')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    else response.end('ok');
  });
  const pool = createPool();
  for (let index = 0; index < 20; index++) await (await pool.fetch(url)).text();
  expect(await sockets()).toBeLessThan(4);
  const reader = ((await pool.fetch(`${url}/stream`)).body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const next = reader.read();
  next.catch(() => {});
  await pool.close();
  await expect(next).rejects.toThrow();
  await expect.poll(sockets).toBe(0);
  await expect(pool.fetch(url)).rejects.toThrow(TypeError);
});

test('a pooled fetch returns a redirect instead of following it', async () => {
  const { url } = await serve((_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end());
  const { fetch } = createPool();
  expect((await fetch(url)).status).toBe(302);
  await expect(fetch(url, { redirect: 'error' })).rejects.toThrow(TypeError);
});

test.for(['http', 'sse'] as const)(
  'over %s, a redirect within the server is followed with its credentials, one to another origin is not followed at all [R3]',
  async (kind) => {
    const thieves: IncomingMessage[] = [];
    const thief = await serve((request, response) => {
      thieves.push(request);
      response.end('{}');
    });
    const seen: (readonly [string | undefined, string | undefined])[] = [];
    const { url } = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      if (request.url === '/near') response.writeHead(307, { location: '/mcp' }).end();
      else if (request.url === '/far') response.writeHead(307, { location: `${thief.url}/mcp` }).end();
      else response.writeHead(418).end();
    });
    const connect = (path: string) => {
      const init = { fetch: createPool().fetch, requestInit: { headers: { authorization: 'Bearer s3cret' } } };
      const transport =
        kind === 'http'
          ? new StreamableHTTPClientTransport(new URL(path, url), init)
          : new SSEClientTransport(new URL(path, url), init);
      return new Client({ name: 'test', version: '1' }).connect(transport);
    };

    await expect(connect('/near')).rejects.toThrow();
    await expect(connect('/far')).rejects.toThrow(/not followed/);
    expect(seen).toEqual([
      ['/near', 'Bearer s3cret'],
      ['/mcp', 'Bearer s3cret'],
      ['/far', 'Bearer s3cret'],
    ]);
    expect(thieves).toEqual([]);
  },
);

test('names under .localhost resolve to this machine, regardless of the name server [R19]', async () => {
  const { url } = await serve((request, response) => void response.end(request.headers.host));
  const { port } = new URL(url);
  expect(await (await createPool().fetch(`http://no-such-name.localhost:${port}/`)).text()).toBe(
    `no-such-name.localhost:${port}`,
  );
});

function text({ value }: { value?: Uint8Array | undefined }): string {
  return Buffer.from(value ?? []).toString();
}

test('a socket that the server will close within three seconds is not used again', async () => {
  const { url, server } = await serve((request, response) => {
    response.setHeader('connection', 'keep-alive').setHeader('keep-alive', 'timeout=3');
    request.resume().on('end', () => response.end('{}'));
  });
  let opened = 0;
  server.on('connection', () => opened++);
  const pool = createPool();
  for (let round = 0; round < 3; round++) await (await pool.fetch(url)).text();
  expect(opened).toBe(3);
});

test('a connection that was idle for seconds is not used again, since its server may close it unannounced', async () => {
  const ports: (number | undefined)[] = [];
  const { url } = await serve((request, response) => {
    ports.push(request.socket.remotePort);
    // As many servers: without the header that announces the five seconds.
    response.setHeader('connection', 'keep-alive').end('{}');
  });
  const { fetch } = createPool();
  const post = async () => (await fetch(url, { method: 'POST', body: '{}' })).text();
  await post();
  // Longer than the pool keeps it, and shorter than such servers do.
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  await post();
  expect(ports).toHaveLength(2);
  expect(ports[1]).not.toBe(ports[0]);
});
