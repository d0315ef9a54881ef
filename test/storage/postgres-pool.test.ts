import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPostgresEngine } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import { openFaultProxy } from '../faults/support/fault-proxy.ts';
import { startPostgres } from '../support/postgres.ts';

test('connections that break while they are being set up do not use up the pool', async () => {
  await using postgres = await startPostgres();
  const url = await postgres.createUrl();
  await using proxy = await openFaultProxy(Number(new URL(url).port));
  const engine = createPostgresEngine({ url: proxy.through(url) });
  const query = () => sql`select 1`.execute(engine.db);
  let failures = 0;
  // Each connection breaks a few bytes later than the one before, until one is set up completely.
  for (let bytes = 8; ; bytes += 8) {
    proxy.set({ resetAfterBytes: bytes });
    const isDone = await query().then(
      () => true,
      () => false,
    );
    if (isDone) break;
    failures++;
  }
  proxy.set({});
  proxy.end('reset');
  // The reset of an idle connection can be noticed by the first query.
  await query().catch(() => {});
  await query();
  expect(failures).toBeGreaterThan(10);
  await engine.close();
});

test('a connection that the database ends in the moment when it is ready does not end the process', async () => {
  const message = (type: string, body: string | Buffer) => {
    const content = Buffer.from(body);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length + 4);
    return Buffer.concat([Buffer.from(type), length, content]);
  };
  const fatal = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const authenticated = message('R', Buffer.alloc(4));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticated, message('Z', 'I'), message('E', fatal)])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const engine = createPostgresEngine({ url: `postgres://somebody@127.0.0.1:${port}/postgres` });
  await expect(sql`select 1`.execute(engine.db)).rejects.toThrow();
  await engine.close();
  server.close();
});
