import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPostgresEngine } from '../../src/storage/postgres/postgres-engine.ts';
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
