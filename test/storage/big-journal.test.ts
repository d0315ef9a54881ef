import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallFilter } from '../../src/invocation/journal.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { postgresKind, sqliteKind } from './kinds.ts';
import { at, makeCall } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

// More by CALLS.
const [few, many] = [1_000, Number(process.env.CALLS ?? 40_000)];
// Forty times the calls may cost a few times as much for deeper indexes and a colder cache, but not ten times.
const mostTimes = 10;

for (const kind of [sqliteKind, postgresKind(() => postgres)]) {
  describe(`a journal of ${many} calls in ${kind.name}`, () => {
    test('is read as fast as a small one [R4]', async () => {
      using smallPlace = await kind.place();
      using bigPlace = await kind.place();
      await using small = await smallPlace.open();
      await using big = await bigPlace.open();
      const smallIds = await fill(small, few);
      const bigIds = await fill(big, many);
      // Postgres does this by itself, but only once a minute.
      if (kind.name === 'postgres') for (const { sql } of [smallPlace, bigPlace]) await sql('analyze');
      for (const [name, smallRead, bigRead] of reads(smallIds, bigIds)) {
        const times = await compare(
          () => smallRead(small),
          () => bigRead(big),
        );
        expect(times, `${name} takes ${times.toFixed(1)} times as long`).toBeLessThan(mostTimes);
      }
    });
  });
}

type Read = (storage: Storage) => Promise<unknown>;

function reads(smallIds: readonly string[], bigIds: readonly string[]): [string, Read, Read][] {
  const middle = (ids: readonly string[]) => ids[ids.length / 2] ?? '';
  const filters: [string, (ids: readonly string[]) => CallFilter][] = [
    ['the newest', () => ({})],
    ['by server', () => ({ server: 'server-3' })],
    ['by tool', () => ({ tool: 'tool-2' })],
    ['by status', () => ({ status: 'error' })],
    ['by server and status', () => ({ server: 'server-2', status: 'success' })],
    ['by caller', () => ({ caller: 'caller-1' })],
    ['by time', (ids) => ({ until: at(ids.length / 2) })],
    ['a page in the middle', (ids) => ({ before: middle(ids) })],
    ['a page of a server in the middle', (ids) => ({ before: middle(ids), server: 'server-3' })],
  ];
  return [
    ['one call', (storage) => storage.journal.get(middle(smallIds)), (storage) => storage.journal.get(middle(bigIds))],
    ...filters.map(([name, filter]): [string, Read, Read] => [
      name,
      (storage) => storage.journal.list({ ...filter(smallIds), limit: 20 }),
      (storage) => storage.journal.list({ ...filter(bigIds), limit: 20 }),
    ]),
  ];
}

async function fill(storage: Storage, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const calls = Array.from({ length: 1_000 }, (_, index) =>
      makeCall({
        server: `server-${index % 10}`,
        tool: `tool-${index % 7}`,
        originalName: `own-${index % 7}`,
        status: index % 10 === 3 ? 'error' : 'success',
        caller: { id: `caller-${index % 5}`, kind: 'client' },
        createdAt: at(ids.length + index),
      }),
    );
    await Promise.all(calls.map((call) => storage.journal.write(call)));
    ids.push(...calls.map(({ id }) => id));
  }
  return ids;
}

/** How many times as long the second takes; both in turns, so that a busy machine slows both, and by their quickest runs. */
async function compare(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<number> {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 15; round++) {
    for (const [index, run] of [first, second].entries()) {
      const started = performance.now();
      await run();
      best[index] = Math.min(best[index] ?? 0, performance.now() - started);
    }
  }
  return (best[1] ?? 0) / (best[0] ?? 1);
}
