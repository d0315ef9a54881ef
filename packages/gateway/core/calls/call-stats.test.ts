import { expect, test } from 'vitest';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createCallStats } from './call-stats.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const iso = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

const call = (seconds: number, changes: Partial<CallRecord> = {}): CallRecord => ({
  id: `call-${seconds}`,
  server: 's',
  tool: 's__t',
  originalName: 't',
  caller: { id: 'ada', kind: 'client' },
  arguments: {},
  definitionHash: 'h',
  status: 'success',
  createdAt: iso(seconds),
  startedAt: iso(seconds),
  completedAt: iso(seconds + 1),
  ...changes,
});

async function setUp() {
  const { journal, callCounts: counter } = await openStorage({ kind: 'memory' });
  const clock = { now: start, readMs: 0, reads: 0, failures: 0 };
  const callCounts: typeof counter = {
    ...counter,
    async count(query) {
      clock.reads++;
      clock.now += clock.readMs;
      if (clock.failures-- > 0) throw new Error('no disk');
      return counter.count(query);
    },
  };
  const stats = createCallStats({ storage: { journal, callCounts }, now: () => clock.now });
  return { journal, stats, clock };
}

test('statistics have a bucket for every interval, and percentiles are measured durations', async () => {
  const { journal, stats: reader } = await setUp();
  for (let n = 1; n <= 20; n++) await journal.write(call(n, { completedAt: iso(n + n) }));
  await journal.write(call(70, { status: 'error', end: 'denied', startedAt: undefined, completedAt: undefined }));
  await journal.write(call(71, { status: 'error', end: 'timeout' }));
  await journal.write(call(72, { status: 'error', end: 'invalid', startedAt: undefined, completedAt: undefined }));
  await journal.write(call(73, { status: 'error', end: 'cancelled' }));
  await journal.write(call(74, { status: 'error', end: 'cancelled' }));
  await journal.write(call(75, { status: 'error', end: 'unknown-outcome' }));
  await journal.write(call(90, { caller: { id: 'bob', kind: 'client', name: 'Bob' }, tool: 's__u' }));
  const query = { since: start, until: start + 100_000, buckets: 3 };
  const stats = await reader.read(query);
  expect(stats.bucketMs).toBe(33_334);
  expect(stats.buckets).toMatchObject([
    { start: iso(0), success: 20, error: 0, denied: 0, p50Ms: 10_000, p95Ms: 19_000 },
    { success: 0, error: 0, denied: 0 },
    { success: 1, error: 1, denied: 1, invalid: 1, cancelled: 2, unknown: 1 },
  ]);
  expect(stats.buckets[1]?.p50Ms).toBeUndefined();
  expect(stats.tools.map(({ tool, calls }) => [tool, calls])).toEqual([
    ['s__t', 26],
    ['s__u', 1],
  ]);
  expect(stats.servers).toMatchObject([{ server: 's', calls: 27 }]);
  expect(stats.callers).toMatchObject([{ calls: 26 }, { calls: 1, name: 'Bob' }]);
  const durations = stats.durations.filter(({ calls }) => calls > 0);
  expect(durations.at(-1)).toEqual({ upToMs: 30_000, calls: expect.any(Number) });
  expect(stats.durations.reduce((sum, { calls }) => sum + calls, 0)).toBe(25);
  const count = async (changes: object) => (await reader.read({ ...query, ...changes })).totals.calls;
  expect(await count({ search: '__U' })).toBe(1);
  expect(await count({ tool: 's__u' })).toBe(1);
  expect(await count({ tool: 's__' })).toBe(0);
  expect(await count({ server: 'other' })).toBe(0);
  expect(await count({ caller: 'bob' })).toBe(1);
  expect(await count({ until: start + 50_000 })).toBe(20);
});

test('slow statistics are used again for ten times as long as they took, fast ones are read again', async () => {
  const { journal, stats, clock } = await setUp();
  await journal.write(call(1));
  const read = async (endsAfter: number) =>
    (await stats.read({ since: start - 100_000 + endsAfter, until: start + endsAfter, buckets: 1 })).totals.calls;
  expect(await read(10_000)).toBe(1);
  clock.readMs = 2_000;
  expect(await read(11_000)).toBe(1);
  expect(clock.reads).toBe(2);
  await journal.write(call(2));
  clock.now += 19_000;
  expect(await read(30_000)).toBe(1);
  expect(clock.reads).toBe(2);
  clock.now += 2_000;
  expect(await read(32_000)).toBe(2);
  expect(clock.reads).toBe(3);
  // Another period that ends long before is not the same.
  expect(await read(5_000)).toBe(2);
  expect(clock.reads).toBe(4);
});

test('statistics that could not be read are read again', async () => {
  const { journal, stats, clock } = await setUp();
  await journal.write(call(1));
  const query = { since: start, until: start + 10_000, buckets: 1 };
  clock.failures = 1;
  await expect(stats.read(query)).rejects.toThrow('no disk');
  expect((await stats.read(query)).totals.calls).toBe(1);
});
