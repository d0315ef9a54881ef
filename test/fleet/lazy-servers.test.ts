import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import { startReplicas } from './replicas.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('a lazy server of placement single sleeps on all replicas, and a call on any of them wakes its one process', async () => {
  await using dir = await tempDir();
  const started = dir.file('started');
  const starts = async () => (await readFile(started, 'utf8')).split('\n').filter(Boolean).length;
  const limits = { timeout: patienceMs, defaultToolConfig: { timeout: patienceMs } };
  const lazy = { ...limits, placement: 'single', lifecycle: 'lazy', idleAfter: '1s' } as const;
  await using replicas = await startReplicas(postgres, {
    servers: { books: { ...fixture('ledger', { START_FILE: started }), ...lazy } },
  } as never);
  const key = { key: replicas.adminToken };
  const isAsleep = async (replica: TestApi) =>
    (await replica.get('/api/servers/books', key)).body.status.state === 'sleeping';
  const allAsleep = () =>
    waitFor(async () => (await Promise.all(replicas.all.map(isAsleep))).every(Boolean), { what: 'the sleep' });
  await allAsleep();
  expect(await starts()).toBe(1);
  let expected = 1;
  for (const replica of replicas.all) {
    const call = { arguments: { text: 'ahoy' } };
    const { body } = await replica.post('/api/tools/mcp_books_echo/call', call, key);
    expect(body.text).toBe('ahoy');
    expect(await starts()).toBe(++expected);
    await allAsleep();
  }
  for (const replica of replicas.all) {
    await replica.post('/api/servers/books/connect', undefined, key);
    expect(await starts()).toBe(++expected);
    await allAsleep();
  }
});
