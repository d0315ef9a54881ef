import { expect, test } from 'vitest';
import type { CallRecord } from '../../invocation/call-record.ts';
import { createMemoryJournal } from '../../storage/memory/memory-journal.ts';
import { readCallStats } from './call-stats.ts';
import { createCallSummaries } from './call-summaries.ts';

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

function setUp(maxCalls?: number) {
  const journal = createMemoryJournal({ maxCalls: 100_000 });
  const reads: number[] = [];
  let now = start;
  const summaries = createCallSummaries({
    journal: {
      list: async (filter) => {
        const found = await journal.list(filter);
        reads.push(found.length);
        return found;
      },
    },
    now: () => now,
    ...(maxCalls !== undefined && { maxCalls }),
  });
  const pass = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { journal, summaries, reads, pass };
}

test('calls are read once; later reads fetch only new calls and those that had not ended', async () => {
  const { journal, summaries, reads, pass } = setUp();
  for (let n = 0; n < 1_200; n++) await journal.write(call(n));
  await journal.write(call(2_000, { status: 'running', completedAt: undefined }));
  expect((await summaries.since(start)).calls).toHaveLength(1_201);
  expect(reads).toEqual([500, 500, 201]);
  await summaries.since(start);
  expect(reads).toHaveLength(3);
  await journal.write(call(2_000));
  await journal.write(call(2_001));
  pass(5);
  const { calls, truncated } = await summaries.since(start);
  expect(reads.slice(3)).toEqual([2]);
  expect(calls).toHaveLength(1_202);
  expect(calls.slice(0, 2)).toMatchObject([
    { id: 'call-2001', status: 'success' },
    { id: 'call-2000', status: 'success', durationMs: 1_000 },
  ]);
  expect(truncated).toBe(false);
});

test('an earlier start time reads only older calls, and a later one reads nothing', async () => {
  const { journal, summaries, reads } = setUp();
  for (let n = 0; n < 100; n++) await journal.write(call(n));
  expect((await summaries.since(start + 90_000)).calls).toHaveLength(10);
  expect((await summaries.since(start + 50_000)).calls).toHaveLength(50);
  expect((await summaries.since(start + 95_000)).calls).toHaveLength(5);
  expect(reads).toEqual([10, 40]);
});

test('the result is marked as truncated when there are more calls than the limit', async () => {
  const { journal, summaries, pass } = setUp(500);
  for (let n = 0; n < 900; n++) await journal.write(call(n));
  const first = await summaries.since(start);
  expect({ count: first.calls.length, truncated: first.truncated }).toEqual({ count: 500, truncated: true });
  expect(await summaries.since(start + 800_000)).toMatchObject({ truncated: false });
  for (let n = 900; n < 950; n++) await journal.write(call(n));
  pass(5);
  const { calls, truncated } = await summaries.since(start);
  expect({ count: calls.length, newest: calls[0]?.id, truncated }).toEqual({
    count: 500,
    newest: 'call-949',
    truncated: true,
  });
});

test('all calls are read again after ten minutes, because the journal deletes old ones', async () => {
  const { journal, summaries, pass } = setUp();
  await journal.write(call(1));
  expect((await summaries.since(start)).calls).toHaveLength(1);
  journal.forget(new Set(['call-1']));
  pass(601);
  expect((await summaries.since(start)).calls).toEqual([]);
});

test('a failed read of the journal is retried on the next request', async () => {
  const { journal } = setUp();
  await journal.write(call(1));
  let failures = 1;
  const summaries = createCallSummaries({
    journal: {
      list: async (filter) => {
        if (failures-- > 0) throw new Error('no disk');
        return journal.list(filter);
      },
    },
  });
  await expect(summaries.since(start)).rejects.toThrow('no disk');
  expect((await summaries.since(start)).calls).toHaveLength(1);
});

test('statistics have a bucket for every interval, and percentiles are measured durations', async () => {
  const { journal, summaries } = setUp();
  for (let n = 1; n <= 20; n++) await journal.write(call(n, { completedAt: iso(n + n) }));
  await journal.write(call(70, { status: 'error', end: 'denied', startedAt: undefined, completedAt: undefined }));
  await journal.write(call(71, { status: 'error', end: 'timeout' }));
  await journal.write(call(72, { status: 'error', end: 'invalid', startedAt: undefined, completedAt: undefined }));
  await journal.write(call(73, { status: 'error', end: 'cancelled' }));
  await journal.write(call(74, { status: 'error', end: 'cancelled' }));
  await journal.write(call(75, { status: 'error', end: 'unknown-outcome' }));
  await journal.write(call(90, { caller: { id: 'bob', kind: 'client' }, tool: 's__u' }));
  const query = { since: start, until: start + 100_000, buckets: 3 };
  const stats = await readCallStats(query, summaries);
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
  expect(stats.callers.map(({ calls }) => calls)).toEqual([26, 1]);
  const durations = stats.durations.filter(({ calls }) => calls > 0);
  expect(durations.at(-1)).toEqual({ upToMs: 30_000, calls: expect.any(Number) });
  expect(stats.durations.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(20);
  expect((await readCallStats({ ...query, search: '__U' }, summaries)).totals.calls).toBe(1);
  expect((await readCallStats({ ...query, tool: 's__u' }, summaries)).totals.calls).toBe(1);
  expect((await readCallStats({ ...query, tool: 's__' }, summaries)).totals.calls).toBe(0);
  expect((await readCallStats({ ...query, server: 'other' }, summaries)).totals.calls).toBe(0);
  expect((await readCallStats({ ...query, caller: 'bob' }, summaries)).totals.calls).toBe(1);
  expect((await readCallStats({ ...query, until: start + 50_000 }, summaries)).totals.calls).toBe(20);
});
