import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPermits } from '../../src/fleet/local/permits.ts';
import { createSharedLimits } from '../../src/fleet/postgres/shared-limits.ts';
import type { PermitLimits, Permits } from '../../src/invocation/permits.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { trackPermit } from '../support/track-permit.ts';
import { waitFor } from '../support/wait-for.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Opened extends AsyncDisposable {
  readonly permits: Permits;
}

const kinds: { readonly name: string; open(limits: PermitLimits): Promise<Opened> }[] = [
  {
    name: 'of one process',
    open: async (limits) => ({ permits: createPermits(limits), async [Symbol.asyncDispose]() {} }),
  },
  {
    name: 'leased from Postgres',
    async open(limits) {
      const workspace = await createPostgresWorkspace(postgres);
      const { storage, store } = await workspace.openReplica();
      const shared = createSharedLimits({ store, log: silentLog });
      return {
        permits: shared.createPermits(limits),
        async [Symbol.asyncDispose]() {
          shared[Symbol.dispose]();
          await storage.close();
        },
      };
    },
  },
];

describe.each(kinds)('permits $name', ({ open }) => {
  test('permits are never more than the limits of all calls, of a tool and of a caller, and every call gets one', async () => {
    await using opened = await open({ maxConcurrent: 4, maxQueued: 1_000 });
    const { permits } = opened;
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    const count = (name: string, by: number) => {
      const now = (running.get(name) ?? 0) + by;
      running.set(name, now);
      most.set(name, Math.max(most.get(name) ?? 0, now));
    };
    const run = async (at: number) => {
      const key = `tool-${at % 3}`;
      const id = `caller-${at % 2}`;
      const caller = { id, limits: { maxRunning: 3, maxQueued: 1_000 }, timeoutMs: 1_000 };
      using _permit = permits.tryAcquire(key, 2, caller) ?? (await permits.acquire(key, 2, { caller }));
      for (const name of ['all', key, id]) count(name, 1);
      await wait(at % 5);
      for (const name of ['all', key, id]) count(name, -1);
    };
    await Promise.all(Array.from({ length: 90 }, (_, at) => run(at)));
    expect(most.get('all')).toBe(4);
    expect([0, 1, 2].map((tool) => most.get(`tool-${tool}`))).toEqual([2, 2, 2]);
    expect([0, 1].map((caller) => (most.get(`caller-${caller}`) ?? 0) <= 3)).toEqual([true, true]);
    expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
  });

  test('permits are granted at once while the limit is not reached, without waiting, if the last call was a moment ago', async () => {
    await using opened = await open({ maxConcurrent: 2, maxQueued: 10 });
    const { permits } = opened;
    for (let round = 0; round < 5; round++) {
      const first = permits.tryAcquire('a', 1) ?? (await permits.acquire('a', 1));
      expect(permits.tryAcquire('a', 1)).toBeUndefined();
      first[Symbol.dispose]();
      using again = permits.tryAcquire('a', 1);
      expect(again?.key).toBe('a');
    }
  });

  test('permits are granted to the waiting calls of a tool in the order of their arrival', async () => {
    await using opened = await open({ maxConcurrent: 5, maxQueued: 100 });
    const { permits } = opened;
    const served: number[] = [];
    const run = async (at: number) => {
      using _permit = await permits.acquire('a', 1);
      served.push(at);
      await wait(1);
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => run(at)));
    expect(served).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  test('permits are refused to a waiting call that is cancelled, which leaves the queue at once', async () => {
    await using opened = await open({ maxConcurrent: 1, maxQueued: 10 });
    const { permits } = opened;
    const running = await permits.acquire('a', 1);
    const cancel = new AbortController();
    const cancelled = trackPermit(permits.acquire('a', 1, { signal: cancel.signal }));
    const next = trackPermit(permits.acquire('a', 1));
    cancel.abort(new Error('changed my mind'));
    expect(permits.stats().queued).toBe(1);
    await waitFor(() => cancelled.error, { what: 'the cancellation' });
    expect(cancelled.error).toEqual(new Error('changed my mind'));
    running[Symbol.dispose]();
    await waitFor(() => next.permit, { what: 'the next permit' });
  });

  test('permits are refused when the queue is full, for all callers and for one', async () => {
    await using opened = await open({ maxConcurrent: 1, maxQueued: 2 });
    const { permits } = opened;
    const caller = { id: 'c', limits: { maxRunning: 1, maxQueued: 1 } };
    const running = await permits.acquire('a', 1, { caller });
    const waiting = trackPermit(permits.acquire('a', 1, { caller }));
    await waitFor(() => permits.stats().queued === 1, { what: 'the waiting call' });
    const ofCaller = trackPermit(permits.acquire('b', 1, { caller }));
    await waitFor(() => ofCaller.error, { what: 'the refusal of the caller' });
    expect(ofCaller.error).toMatchObject({ code: 'LIMIT_REACHED', data: { limit: 'queued_calls', max: 1 } });
    const other = trackPermit(permits.acquire('b', 1));
    const refused = trackPermit(permits.acquire('c', 1));
    await waitFor(() => refused.error, { what: 'the refusal' });
    expect(refused.error).toMatchObject({ code: 'QUEUE_FULL', data: { key: 'c', maxConcurrent: 1, maxQueued: 2 } });
    expect(permits.refusals).toEqual({ caller: 1, total: 1 });
    running[Symbol.dispose]();
    (await waitFor(() => waiting.permit ?? other.permit, { what: 'one of the waiting calls' }))?.[Symbol.dispose]();
    await waitFor(() => waiting.permit && other.permit, { what: 'the other one' });
  });

  test('permits are granted without a queue while the limit is not reached', async () => {
    await using opened = await open({ maxConcurrent: 2, maxQueued: 0 });
    const { permits } = opened;
    using _one = await permits.acquire('a', 2);
    using _two = await permits.acquire('a', 2);
    await expect(permits.acquire('a', 2)).rejects.toMatchObject({ code: 'QUEUE_FULL' });
  });

  test('permits follow changed limits', async () => {
    await using opened = await open({ maxConcurrent: 1, maxQueued: 10 });
    const { permits } = opened;
    const first = await permits.acquire('a', 3);
    const second = trackPermit(permits.acquire('a', 3));
    const third = trackPermit(permits.acquire('a', 3));
    permits.setLimits({ maxConcurrent: 2, maxQueued: 10 });
    await waitFor(() => second.permit, { what: 'the second call' });
    permits.setLimits({ maxConcurrent: 1, maxQueued: 10 });
    first[Symbol.dispose]();
    expect(third.permit).toBeUndefined();
    expect(permits.tryAcquire('b', 1)).toBeUndefined();
    second.permit?.[Symbol.dispose]();
    await waitFor(() => third.permit, { what: 'the third call' });
  });
});
