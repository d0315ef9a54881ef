import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFleet } from '../../packages/gateway/features/fleet/fleet.ts';
import { createSharedLimits } from '../../packages/gateway/features/fleet/postgres/shared-limits.ts';
import type { Permit, PermitCaller, PermitLimits, Permits } from '../../packages/toolwharf/invocation/permits.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { createPermits } from '../../packages/toolwharf/limits/permits.ts';
import type { LimitStore } from '../../packages/toolwharf/storage/ports/limit-store.ts';
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
  /** Those of the first replica. */
  readonly permits: Permits;
  /** Those of each replica. */
  readonly all: readonly Permits[];
  /** Waits until each replica has asked the database for what its waiting calls need. */
  settle(): Promise<void>;
}

interface Kind {
  readonly name: string;
  open(limits: PermitLimits): Promise<Opened>;
}

const local: Kind = {
  name: 'of one process',
  async open(limits) {
    const permits = createPermits(limits);
    return { permits, all: [permits], settle: () => nextTurn(), async [Symbol.asyncDispose]() {} };
  },
};

function leased(replicas: number): Kind {
  return {
    name: `leased from Postgres by ${replicas === 1 ? 'one replica' : `${replicas} replicas`}`,
    async open(limits) {
      const workspace = await createPostgresWorkspace(postgres);
      const opened = await Promise.all(Array.from({ length: replicas }, () => openReplica(workspace, limits)));
      const all = opened.map(({ permits }) => permits);
      return {
        permits: all[0] as Permits,
        all,
        async settle() {
          for (const replica of opened) await replica.settle();
        },
        async [Symbol.asyncDispose]() {
          for (const { close } of opened) await close();
        },
      };
    },
  };
}

async function openReplica(workspace: Awaited<ReturnType<typeof createPostgresWorkspace>>, limits: PermitLimits) {
  const { storage, store } = await workspace.openReplica();
  let pending = 0;
  const syncPermits: LimitStore['syncPermits'] = async (request) => {
    pending++;
    try {
      return await store.limits.syncPermits(request);
    } finally {
      pending--;
    }
  };
  const counted = { ...store, limits: { ...store.limits, syncPermits } };
  const fleet = await openFleet({ store, log: silentLog });
  const shared = createSharedLimits({ store: counted, fleet, log: silentLog });
  return {
    permits: shared.createPermits(limits),
    async settle() {
      // A request begins a few turns of the event loop after its cause, which may be the answer to another one.
      for (let idleTurns = 0; idleTurns < 20; idleTurns = pending > 0 ? 0 : idleTurns + 1) await nextTurn();
    },
    async close() {
      shared[Symbol.dispose]();
      await fleet[Symbol.asyncDispose]();
      await storage.close();
    },
  };
}

const kinds = [local, leased(1), leased(2), leased(3)];

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

  const busy = { id: 'busy', limits: { maxRunning: 50, maxQueued: 100 }, timeoutMs: 60_000 };
  const modest = { id: 'modest', limits: { maxRunning: 50, maxQueued: 100 }, timeoutMs: 60_000 };

  /** Calls that run until they are ended, in the order of their grants. */
  function createCalls() {
    const running: { readonly name: string; readonly permit: Permit; readonly permits: Permits }[] = [];
    const order: string[] = [];
    return {
      order,
      running,
      start(permits: Permits, key: string, maxInstances: number, caller: PermitCaller, name = caller.id) {
        void permits.acquire(key, maxInstances, { caller }).then((permit) => {
          order.push(name);
          running.push({ name, permit, permits });
        });
      },
      /** Ends the call that has run for longest, or of those with this name, if possible on this replica. */
      end(name?: string, permits?: Permits) {
        const named = running.filter((call) => name === undefined || call.name === name);
        const ended = named.find((call) => call.permits === permits) ?? named[0];
        if (!ended) throw new Error('No such call runs');
        running.splice(running.indexOf(ended), 1);
        ended.permit[Symbol.dispose]();
      },
      async granted(count: number) {
        await waitFor(() => order.length >= count, { what: `${count} grants, of ${order}` });
      },
    };
  }

  test('permits of an exhausted limit are given to callers in turn, however many calls one of them has waiting [O9]', async () => {
    await using opened = await open({ maxConcurrent: 40, maxQueued: 1_000 });
    const { all, settle } = opened;
    const calls = createCalls();
    for (let at = 0; at < 24; at++) calls.start(all[at % all.length] as Permits, 'tool', 6, busy);
    await calls.granted(6);
    for (let round = 0; round < 5; round++) {
      const permits = all[round % all.length] as Permits;
      calls.start(permits, 'tool', 6, modest);
      await settle();
      const before = calls.order.length;
      // The next unit or the next but one. Before them, other replicas get those that they lack of their share.
      const maxEnded = all.length === 1 ? 2 : 6;
      for (let ended = 0; ended < maxEnded && !calls.order.slice(before).includes('modest'); ended++) {
        const at = calls.order.length;
        calls.end('busy', permits);
        await calls.granted(at + 1);
      }
      expect(calls.order.slice(before), `round ${round}`).toContain('modest');
      expect(calls.running.length).toBeLessThanOrEqual(6);
      calls.end('modest');
      for (const replica of all) calls.start(replica, 'tool', 6, busy);
      await waitFor(() => calls.running.length === 6, { what: 'the units to be used again' });
    }
  });

  test('permits alternate between two callers that both have many waiting calls [O9]', async () => {
    await using opened = await open({ maxConcurrent: 40, maxQueued: 1_000 });
    const { permits, settle } = opened;
    const calls = createCalls();
    for (let at = 0; at < 20; at++) calls.start(permits, 'tool', 4, busy);
    await calls.granted(4);
    for (let at = 0; at < 8; at++) calls.start(permits, 'tool', 4, modest);
    for (let ended = 0; ended < 8; ended++) {
      await settle();
      const before = calls.order.length;
      calls.end();
      await calls.granted(before + 1);
    }
    const turns = calls.order.slice(4);
    expect(turns.filter((name) => name === 'modest').length).toBeGreaterThanOrEqual(3);
    expect(turns.filter((name) => name === 'busy').length).toBeGreaterThanOrEqual(3);
  });

  test('permits alternate between a caller with many waiting calls and two that always have one [O9]', async () => {
    await using opened = await open({ maxConcurrent: 40, maxQueued: 1_000 });
    const { permits, settle } = opened;
    const calls = createCalls();
    const third = { id: 'third', timeoutMs: 60_000 };
    for (let at = 0; at < 20; at++) calls.start(permits, 'tool', 1, busy);
    await calls.granted(1);
    for (const caller of [modest, third]) calls.start(permits, 'tool', 1, caller);
    for (let ended = 1; ended <= 12; ended++) {
      await settle();
      calls.end();
      await calls.granted(ended + 1);
      const caller = [modest, third].find(({ id }) => id === calls.order.at(-1));
      if (caller) calls.start(permits, 'tool', 1, caller);
    }
    const turns = calls.order.slice(1);
    for (const name of ['busy', 'modest', 'third'])
      expect(turns.filter((each) => each === name).length, name).toBeGreaterThanOrEqual(3);
  });

  test('permits of the limit for all calls are given in turn to callers of different tools [O9]', async () => {
    await using opened = await open({ maxConcurrent: 3, maxQueued: 1_000 });
    const { permits, settle } = opened;
    const calls = createCalls();
    for (let at = 0; at < 20; at++) calls.start(permits, 'slow', 10, busy);
    await calls.granted(3);
    calls.start(permits, 'other', 1, modest);
    await settle();
    calls.end();
    await calls.granted(4);
    await settle();
    calls.end();
    await calls.granted(5);
    expect(calls.order.slice(3).toSorted()).toEqual(['busy', 'modest']);
    expect(calls.running).toHaveLength(3);
  });

  test('permits of a caller at its own limit do not delay other callers, and its own calls run in their order [O9]', async () => {
    await using opened = await open({ maxConcurrent: 10, maxQueued: 1_000 });
    const { permits } = opened;
    const calls = createCalls();
    const narrow = { id: 'narrow', limits: { maxRunning: 2, maxQueued: 100 }, timeoutMs: 60_000 };
    for (let at = 0; at < 6; at++) calls.start(permits, 'tool', 4, narrow, `narrow ${at}`);
    await calls.granted(2);
    calls.start(permits, 'tool', 4, modest);
    await calls.granted(3);
    expect(calls.order).toEqual(['narrow 0', 'narrow 1', 'modest']);
    for (let at = 2; at < 6; at++) {
      calls.end(`narrow ${at - 2}`);
      await calls.granted(at + 2);
    }
    expect(calls.order.slice(3)).toEqual(['narrow 2', 'narrow 3', 'narrow 4', 'narrow 5']);
  });

  test('permits pass a waiting call that is cancelled, and its units are not lost [O9]', async () => {
    await using opened = await open({ maxConcurrent: 10, maxQueued: 1_000 });
    const { permits, settle } = opened;
    const calls = createCalls();
    calls.start(permits, 'tool', 1, busy);
    await calls.granted(1);
    const cancel = new AbortController();
    const cancelled = trackPermit(permits.acquire('tool', 1, { caller: modest, signal: cancel.signal }));
    calls.start(permits, 'tool', 1, busy, 'next');
    await settle();
    cancel.abort(new Error('changed my mind'));
    await waitFor(() => cancelled.error, { what: 'the cancellation' });
    calls.end();
    await calls.granted(2);
    calls.end();
    calls.start(permits, 'tool', 1, modest);
    await calls.granted(3);
    expect(calls.order).toEqual(['busy', 'next', 'modest']);
  });

  test('permits of all limits at once are never more than any limit allows, and each of many callers gets them [O9]', async () => {
    await using opened = await open({ maxConcurrent: 5, maxQueued: 1_000 });
    const { all } = opened;
    const running = new Map<string, number>();
    const above: string[] = [];
    const served = new Map<string, number>();
    const count = (name: string, by: number, max: number) => {
      const now = (running.get(name) ?? 0) + by;
      running.set(name, now);
      if (now > max) above.push(`${name}: ${now}`);
    };
    const run = async (at: number) => {
      const key = `tool-${at % 3}`;
      const id = `caller-${at % 4}`;
      const caller = { id, limits: { maxRunning: 2, maxQueued: 1_000 }, timeoutMs: 60_000 };
      const permits = all[at % all.length] as Permits;
      using _permit = permits.tryAcquire(key, 2, caller) ?? (await permits.acquire(key, 2, { caller }));
      const used = [
        ['all', 5],
        [key, 2],
        [id, 2],
      ] as const;
      for (const [name, max] of used) count(name, 1, max);
      await wait(1);
      for (const [name, max] of used) count(name, -1, max);
      served.set(id, (served.get(id) ?? 0) + 1);
    };
    await Promise.all(Array.from({ length: 120 }, (_, at) => run(at)));
    expect(above).toEqual([]);
    expect([...served.values()]).toEqual([30, 30, 30, 30]);
    for (const permits of all) expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
  });
});
