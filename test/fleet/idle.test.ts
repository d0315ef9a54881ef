import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countStatements } from '../../bench/parts/count-statements.mjs';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createSealer } from '../../src/storage/sealer.ts';
import { startApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('an idle replica sends its database fewer than four statements per second', async () => {
  const url = new URL(await postgres.createUrl());
  await using stack = new AsyncDisposableStack();
  const counter = await countStatements(Number(url.port));
  stack.defer(counter.stop);
  url.port = String(counter.port);
  const storage = await openStorage({ kind: 'postgres', url: url.href, sealer: createSealer(randomBytes(32)) });
  const api = stack.use(await startApi({ servers: { s: fixture('legacy') } }, { storage }));
  await api.get('/api/health', { key: api.adminToken });
  // The start is over when the replica has told the others about itself.
  await waitFor(async () => (await api.get('/api/fleet', { key: api.adminToken })).body.replicas[0]?.lag === 0, {
    what: 'the start',
  });
  counter.take();
  const startedAt = performance.now();
  await wait(20_000);
  const { statements } = counter.take();
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(statements / seconds).toBeLessThan(4);
});
