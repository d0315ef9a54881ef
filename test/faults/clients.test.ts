import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type MessageStream, openMessageStream } from '../../packages/gateway/core/mcp/message-stream.ts';
import { collectLog, fixture } from '../support/fixtures.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openRaw, textOf } from '../support/raw-mcp.ts';
import { waitFor } from '../support/wait-for.ts';
import { memoryOf } from './support/memory.ts';
import { isFull, scaled } from './support/scale.ts';
import { openWorld } from './support/world.ts';

describe('clients that occupy connections', () => {
  test(`idle connections and unfinished requests cost little memory and do not block others${isFull ? ', and are closed' : ''}`, async () => {
    await using world = await openWorld();
    const shell = 'ulimit -n $(ulimit -Hn);';
    await using gateway = await world.start({ servers: { s: world.program() } }, { shell });
    await using client = await world.load.open(gateway.url, 'ada');
    await client.call();
    const before = memoryOf(gateway.pid);
    const sockets: Socket[] = [];
    using _all = { [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) };
    const say = {
      idle: '',
      // An endless header, and a body that stays incomplete.
      header: 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ',
      body: 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"js',
    };
    const counts = { idle: scaled(600, 10_000), header: scaled(100, 1_000), body: scaled(100, 1_000) };
    for (const [kind, count] of Object.entries(counts)) {
      for (let done = 0; done < count; done += 100) {
        const batch = await Promise.all(Array.from({ length: 100 }, () => open(gateway.port)));
        for (const socket of batch) if (kind !== 'idle') socket.write(say[kind as keyof typeof say]);
        sockets.push(...batch);
      }
    }
    for (let round = 0; round < 10; round++) {
      for (const socket of sockets.slice(counts.idle)) socket.write('x');
      expect(await client.call()).toMatchObject({ answer: 'success' });
    }
    const growth = memoryOf(gateway.pid) - before;
    expect(growth / sockets.length).toBeLessThan(100_000);
    const ended = () => sockets.filter((socket) => socket.destroyed).length;
    if (isFull) await waitFor(() => ended() === sockets.length, { timeoutMs: 400_000, what: 'the end of all of them' });
    expect(await client.call()).toMatchObject({ answer: 'success' });
    console.log(
      `slow clients: ${sockets.length} connections, ${Math.round(growth / 1_000_000)} MB for all of them, ` +
        `${ended()} closed by the gateway`,
    );
    for (const socket of sockets) socket.destroy();
    await gateway.end('SIGTERM');
    expect(await world.findings()).toEqual([]);
  });
});

test('a trickling body gets 408 at its deadline, while a slow complete body and other clients are served', async () => {
  await using world = await openWorld();
  const { log, entries } = collectLog();
  await using gateway = await openTestGateway({ servers: { s: world.program() } }, { log, requestTimeoutMs: 10_000 });
  await using client = await world.load.open(`${gateway.url}/mcp`, 'local');
  const port = Number(new URL(gateway.url).port);
  const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
  const kinds = [
    { head: `${head}Content-Length: 100000\r\n\r\n`, piece: ' ' },
    { head: `${head}Transfer-Encoding: chunked\r\n\r\n`, piece: '1\r\n \r\n' },
  ];
  const trickles = await Promise.all(
    Array.from({ length: scaled(20, 500) }, async (_, index) => {
      const { head, piece } = kinds[index % 2] as (typeof kinds)[number];
      const socket = await open(port);
      const trickle = { socket, piece, heard: '' };
      socket.on('data', (chunk) => {
        trickle.heard += chunk;
      });
      socket.write(head);
      return trickle;
    }),
  );
  using _all = { [Symbol.dispose]: () => trickles.forEach(({ socket }) => void socket.destroy()) };
  const slow = await open(port);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: {} });
  let heard = '';
  slow.on('data', (chunk) => {
    heard += chunk;
  });
  slow.write(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
  // Sent in four parts, before the deadline.
  for (const part of body.match(new RegExp(`.{1,${Math.ceil(body.length / 4)}}`, 'g')) ?? []) {
    await wait(50);
    slow.write(part);
  }
  await waitFor(
    async () => {
      for (const { socket, piece } of trickles) if (socket.writable) socket.write(piece);
      expect(await client.call()).toMatchObject({ answer: 'success' });
      await wait(50);
      return trickles.every(({ socket }) => socket.destroyed);
    },
    { what: 'the end of all trickling requests' },
  );
  for (const { heard } of trickles) expect(heard).toMatch(/^HTTP\/1\.1 408 /);
  // The whole body was read before the missing session was reported.
  await waitFor(() => slow.destroyed);
  expect(heard).toMatch(/^HTTP\/1\.1 400 .*Mcp-Session-Id/s);
  expect(entries.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a client that never reads its stream is disconnected, and few bytes are buffered for it', async () => {
  const opened = Promise.withResolvers<MessageStream>();
  const server = createServer((_request, response) => opened.resolve(openMessageStream(response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using _server = {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const socket = await open((server.address() as AddressInfo).port);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const stream = await opened.promise;
  const text = 'x'.repeat(1_000_000);
  let sent = 0;
  for (; !stream.closed && sent < 200; sent++) {
    stream.send({ text });
    await wait(1);
  }
  // 16 MiB plus the socket buffers of the system.
  expect(sent).toBeLessThan(40);
  socket.destroy();
});

describe('request ids', () => {
  for (const era of ['legacy', 'modern'] as const) {
    test(`clients that use the ids 0 and "0" at once receive their own responses (${era})`, async () => {
      await using gateway = await openTestGateway({ servers: { s: fixture('legacy') } });
      using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 50 }), {
        [Symbol.dispose]: () => agent.destroy(),
      });
      const url = `${gateway.url}/mcp`;
      const clients = await Promise.all(Array.from({ length: scaled(100, 1_000) }, () => openRaw(url, era, agent)));
      const call = async (client: (typeof clients)[number], id: unknown, text: string) => {
        const { body } = await client.send(id as number, 'tools/call', { name: 's__echo', arguments: { text } });
        return [body.id, textOf(body)];
      };
      const asked = clients.flatMap((client, index) =>
        // The same number twice and as a text, at the same time.
        [0, 0, '0'].map((id, turn) => ({ client, id, text: `${index}-${turn}` })),
      );
      const answers = await Promise.all(asked.map(({ client, id, text }) => call(client, id, text)));
      expect(answers).toEqual(asked.map(({ id, text }) => [id, text]));
    });
  }

  test('cancelling request 7 of one client leaves request 7 of another client running', async () => {
    await using gateway = await openTestGateway({ servers: { s: fixture('legacy') } });
    using ada = await openRaw(`${gateway.url}/mcp`, 'legacy');
    using eve = await openRaw(`${gateway.url}/mcp`, 'legacy');
    const slow = ada.send(7, 'tools/call', { name: 's__sleep', arguments: { ms: 2_000 } });
    await waitFor(async () => (await gateway.toolbox.calls.list()).some(({ status }) => status === 'running'));
    await eve.notify('notifications/cancelled', { requestId: 7 });
    expect(textOf((await slow).body)).toBe('slept 2000 ms');
  });

  test('a late response is dropped, and the next calls receive their own', async () => {
    await using world = await openWorld();
    const config = {
      servers: { s: { ...world.program({ SLOW_MS: '6000' }), defaultToolConfig: { timeout: '5s' } } },
    };
    await using gateway = await world.open(config);
    await using client = await world.load.open(`${gateway.url}/mcp`, 'ada');
    await client.call();
    const late = await Promise.all(Array.from({ length: scaled(5, 50) }, () => client.call({ how: 'slow' })));
    expect(new Set(late.map(({ code }) => code))).toEqual(new Set(['CALL_TIMED_OUT']));
    // The late responses arrive meanwhile.
    const until = performance.now() + 2_000;
    while (performance.now() < until) expect(await client.call()).toMatchObject({ answer: 'success' });
    await gateway.close();
    expect(await world.findings()).toEqual([]);
  });
});

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.off('error', reject).on('error', () => {});
      resolve(socket);
    });
    socket.once('error', reject);
    socket.resume();
  });
}
