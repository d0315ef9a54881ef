import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStorage } from '../../../../gateway/core/storage/open-storage.ts';
import { createLog, type LogEntry } from '../../../../toolwharf/kernel/log.ts';
import { enforceRetention, watchIdle } from './run-gateway.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a gateway is idle when it has had no connection for the whole period', async () => {
  let connections = 1;
  using idle = watchIdle(async () => connections, { idleMs: 60_000, pollMs: 5_000 });
  await vi.advanceTimersByTimeAsync(300_000);
  expect(idle.signal.aborted).toBe(false);
  connections = 0;
  await vi.advanceTimersByTimeAsync(50_000);
  connections = 1;
  await vi.advanceTimersByTimeAsync(5_000);
  connections = 0;
  await vi.advanceTimersByTimeAsync(55_000);
  expect(idle.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(idle.signal.aborted).toBe(true);
});

test('calls that exceed the configured age or number are removed periodically until disposal', async () => {
  await using storage = await openStorage({ kind: 'memory' });
  const add = (id: string) =>
    storage.journal.write({
      id,
      tool: 't',
      originalName: 't',
      caller: { id: 'c', kind: 'program' },
      arguments: {},
      definitionHash: 'h',
      status: 'success',
      createdAt: new Date().toISOString(),
      completedAt: new Date().toISOString(),
    });
  const count = async () => (await storage.journal.list()).length;
  const entries: LogEntry[] = [];
  const log = createLog((entry) => entries.push(entry));
  for (const id of ['a', 'b', 'c']) await add(id);
  const settings = () => ({ maxAgeMs: 86_400_000, maxCalls: 2 });
  const retention = enforceRetention({ audit: storage.audit, settings, log, firstRunMs: 1, intervalMs: 1 });
  await vi.advanceTimersByTimeAsync(1);
  expect(await count()).toBe(2);
  await add('d');
  await vi.advanceTimersByTimeAsync(1);
  expect(await count()).toBe(2);
  expect(entries.map(({ event }) => event)).toContain('journal.retained');
  await retention[Symbol.asyncDispose]();
  await add('e');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await count()).toBe(3);
});

test('a failed removal is logged and retried at the next run', async () => {
  const entries: LogEntry[] = [];
  let tries = 0;
  const audit = {
    async retain() {
      tries++;
      throw new Error('the disk is full');
    },
  };
  const log = createLog((entry) => entries.push(entry));
  const settings = () => ({ maxAgeMs: 1, maxCalls: 1 });
  await using _retention = enforceRetention({ audit, settings, log, firstRunMs: 1, intervalMs: 1 });
  await vi.advanceTimersByTimeAsync(2);
  expect(tries).toBe(2);
  expect(entries[0]).toMatchObject({ level: 'error', event: 'journal.retention-failed' });
  expect(entries[0]?.message).toContain('the disk is full');
});
