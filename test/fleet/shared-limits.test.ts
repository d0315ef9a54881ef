import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFleet } from '../../packages/gateway/features/fleet/fleet.ts';
import { createSharedLimits, type SharedLimits } from '../../packages/gateway/features/fleet/postgres/shared-limits.ts';
import type { PermitLimits, Permits } from '../../packages/toolwharf/invocation/permits.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { FleetStore } from '../../packages/toolwharf/storage/ports/fleet-store.ts';
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

interface Replica {
  readonly store: FleetStore;
  readonly limits: SharedLimits;
  readonly permits: Permits;
  /** Stops the replica as a crash would: its lease stays. */
  stop(): void;
}

interface OpenOptions extends Partial<PermitLimits> {
  readonly changeStore?: (store: LimitStore) => LimitStore;
  /** Kept for ever by default, so that permits move only because another replica waits. */
  readonly idleMs?: number;
  readonly hasHints?: boolean;
  /** How often a replica with permits looks at the database. */
  readonly holdPollMs?: number;
  /** How often a replica that waits for permits does. */
  readonly waitPollMs?: number;
}

/** Replicas in one process, on one database. */
async function createReplicas() {
  const workspace = await createPostgresWorkspace(postgres);
  const closing: (() => Promise<void>)[] = [];
  async function open(options: OpenOptions = {}): Promise<Replica> {
    const { maxConcurrent = 1, maxQueued = 1_000, changeStore = (store) => store, idleMs = 600_000 } = options;
    const { holdPollMs, waitPollMs } = options;
    const { storage, store: own } = await workspace.openReplica();
    const store = { ...own, limits: changeStore(own.limits) };
    const fleet = options.hasHints === false ? undefined : await openFleet({ store, log: silentLog });
    const limits = createSharedLimits({ store, fleet, log: silentLog, idleMs, holdPollMs, waitPollMs });
    closing.push(async () => {
      limits[Symbol.dispose]();
      await fleet?.[Symbol.asyncDispose]();
      await storage.close();
    });
    const permits = limits.createPermits({ maxConcurrent, maxQueued });
    return { store, limits, permits, stop: () => limits[Symbol.dispose]() };
  }
  return {
    open,
    sql: workspace.sql,
    /** Does what the next heartbeat of any replica does after the lease has expired. */
    async removeLost(lost: Replica) {
      await workspace.sql(`delete from owners where id = '${lost.store.replica}'`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(closing.map((close) => close()));
    },
  };
}

const caller = (timeoutMs: number) => ({ caller: { id: 'c', timeoutMs } });

describe('replicas that share limits', () => {
  test('replicas never run more calls together than each limit allows, and every call runs', async () => {
    await using fleet = await createReplicas();
    const replicas = await Promise.all([1, 2, 3].map(() => fleet.open({ maxConcurrent: 3 })));
    const running = new Map<string, number>();
    const above: string[] = [];
    const count = (name: string, by: number, max: number) => {
      const now = (running.get(name) ?? 0) + by;
      running.set(name, now);
      if (now > max) above.push(`${name}: ${now}`);
    };
    const served = [0, 0, 0];
    const run = async (replica: number, at: number) => {
      const permits = replicas[replica]?.permits as Permits;
      const key = `tool-${at % 3}`;
      const id = `caller-${at % 2}`;
      const limits = { maxRunning: 2, maxQueued: 1_000 };
      using _permit = await permits.acquire(key, (at % 3) + 1, { caller: { id, limits, timeoutMs: 1_000 } });
      count('all', 1, 3);
      count(key, 1, (at % 3) + 1);
      count(id, 1, 2);
      await wait(at % 4);
      count('all', -1, 3);
      count(key, -1, (at % 3) + 1);
      count(id, -1, 2);
      served[replica] = (served[replica] ?? 0) + 1;
    };
    await Promise.all(replicas.flatMap((_, replica) => Array.from({ length: 30 }, (_none, at) => run(replica, at))));
    expect(above).toEqual([]);
    expect(served).toEqual([30, 30, 30]);
    expect(replicas.map(({ permits }) => permits.stats().queued)).toEqual([0, 0, 0]);
  });

  test.each([true, false])(
    'replicas give a permit that no call uses to a replica that waits (notifications: %s)',
    async (hasHints) => {
      await using fleet = await createReplicas();
      const one = await fleet.open({ hasHints });
      const two = await fleet.open({ hasHints });
      for (let round = 0; round < 3; round++) {
        (await one.permits.acquire('a', 1))[Symbol.dispose]();
        expect(one.limits.held.get('all')).toBe(1);
        (await two.permits.acquire('a', 1))[Symbol.dispose]();
        expect(two.limits.held.get('all')).toBe(1);
        await waitFor(() => one.limits.held.size === 0, { what: 'the return of the permit' });
      }
    },
  );

  test('replicas return permits that are not used for a while, although no replica waits', async () => {
    await using fleet = await createReplicas();
    const one = await fleet.open({ idleMs: 50 });
    (await one.permits.acquire('a', 1))[Symbol.dispose]();
    await waitFor(async () => (await fleet.sql('select * from permits')).length === 0, { what: 'the return' });
    expect(one.limits.held.size).toBe(0);
  });

  test('replicas take turns: a replica with many waiting calls does not delay the call of another one until they have run', async () => {
    await using fleet = await createReplicas();
    const busy = await fleet.open();
    const other = await fleet.open();
    const order: string[] = [];
    const run = async ({ permits }: Replica, name: string) => {
      using _permit = await permits.acquire('a', 1);
      order.push(name);
      await wait(20);
    };
    const all = Array.from({ length: 40 }, () => run(busy, 'busy'));
    await waitFor(() => order.length > 0, { what: 'the first call' });
    all.push(run(other, 'other'));
    await Promise.all(all);
    expect(order.indexOf('other')).toBeLessThan(order.length - 1);
  });

  test('a caller with fewer permits than replicas gets its turn at a tool that another caller saturates on one of them', async () => {
    await using fleet = await createReplicas();
    const busy = await fleet.open({ maxConcurrent: 1_000 });
    const other = await fleet.open({ maxConcurrent: 1_000 });
    const limits = { maxRunning: 1, maxQueued: 1_000 };
    const ada = { id: 'ada', limits, timeoutMs: 600_000 };
    const bob = { id: 'bob', limits: { maxRunning: 1_000, maxQueued: 1_000 }, timeoutMs: 600_000 };
    let isOver = false;
    let grants = 0;
    const loop = async ({ permits }: Replica, caller: typeof ada, key: string, onGranted = () => {}) => {
      while (!isOver) {
        using _permit = await permits.acquire(key, 4, { caller });
        onGranted();
        await wait(10);
      }
    };
    const loops = Array.from({ length: 24 }, () => loop(busy, bob, 'a'));
    await waitFor(() => busy.limits.held.get('tool a') === 4, { what: 'the saturated tool' });
    const starved = new AbortController();
    const count = () => {
      if (++grants > 200) starved.abort(new Error('The other replica had 200 turns'));
    };
    loops.push(loop(other, ada, 'b', count));
    await waitFor(() => grants > 2, { what: 'the permits of the other replica' });
    grants = 0;
    const turn = busy.permits.acquire('a', 4, { caller: ada, signal: starved.signal });
    await turn
      .then((permit) => permit[Symbol.dispose]())
      .finally(() => {
        isOver = true;
      });
    await Promise.all(loops);
  });

  test.each([40, 64])('busy replicas that share %i permits seldom ask the database for some', async (limit) => {
    await using fleet = await createReplicas();
    let requests = 0;
    const changeStore = (store: LimitStore): LimitStore => ({
      ...store,
      syncPermits(request) {
        requests++;
        return store.syncPermits(request);
      },
    });
    // With few polls, whose number depends on the speed of the machine.
    const open = () => fleet.open({ maxConcurrent: 1_000, changeStore, holdPollMs: 600_000, waitPollMs: 10_000 });
    const [one, two] = [await open(), await open()];
    const run = async ({ permits }: Replica, clients: number, calls: number) => {
      const client = async () => {
        for (let call = 0; call < calls; call++) {
          using _permit = await permits.acquire('a', limit);
          await wait(1);
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    };
    await run(one, 40, 1);
    // The first replica has permits that the second one needs.
    await Promise.all([run(one, 24, 200), run(two, 24, 200)]);
    // Of 9 600 calls.
    expect(requests).toBeLessThan(200);
  });

  test('two replicas that each need a permit of the other both make progress', async () => {
    await using fleet = await createReplicas();
    const one = await fleet.open({ maxConcurrent: 2 });
    const two = await fleet.open({ maxConcurrent: 2 });
    const run = async ({ permits }: Replica, key: string) => {
      using _permit = await permits.acquire(key, 1);
      await wait(1);
    };
    for (let round = 0; round < 20; round++)
      await Promise.all([run(one, 'a'), run(two, 'a'), run(one, 'b'), run(two, 'b'), run(one, 'c')]);
  });

  test('replicas apply a lowered limit to the calls that start later, also if each replica has permits of the old limit', async () => {
    await using fleet = await createReplicas();
    const replicas = await Promise.all([1, 2].map(() => fleet.open({ maxConcurrent: 8 })));
    const held = await Promise.all(replicas.flatMap(({ permits }) => [1, 2, 3, 4].map(() => permits.acquire('a', 8))));
    for (const { permits } of replicas) permits.setLimits({ maxConcurrent: 2, maxQueued: 100 });
    let running = 0;
    let most = 0;
    const run = async ({ permits }: Replica) => {
      using _permit = await permits.acquire('a', 8);
      most = Math.max(most, ++running);
      await wait(5);
      running--;
    };
    const all = replicas.flatMap((replica) => [1, 2, 3, 4, 5].map(() => run(replica)));
    for (const permit of held) permit[Symbol.dispose]();
    await Promise.all(all);
    expect(most).toBeLessThanOrEqual(2);
  });
});

describe('the permits of a lost replica', () => {
  test('the permits of a lost replica stay in use while its lease is valid, and then for the time limit of its calls', async () => {
    await using fleet = await createReplicas();
    const lost = await fleet.open();
    await lost.permits.acquire('a', 1, caller(3_000));
    lost.stop();
    const other = await fleet.open();
    const next = trackPermit(other.permits.acquire('a', 1, caller(3_000)));
    await wait(500);
    expect(next.permit).toBeUndefined();
    await fleet.removeLost(lost);
    const [row] = await fleet.sql(`select until from permits where replica = '${lost.store.replica}' and pool = 'all'`);
    await waitFor(() => next.permit, { what: 'the permit of the lost replica' });
    const [now] = await fleet.sql('select toolwharf_now() as now');
    expect(Number(now?.now)).toBeGreaterThanOrEqual(Number(row?.until));
  });

  test('the permits of a lost replica are in use for the time limit of the longest call that ran with them', async () => {
    await using fleet = await createReplicas();
    const lost = await fleet.open({ maxConcurrent: 2 });
    (await lost.permits.acquire('short', 1, caller(1_000)))[Symbol.dispose]();
    await lost.permits.acquire('long', 1, caller(600_000));
    lost.stop();
    await fleet.removeLost(lost);
    const rows = await fleet.sql(
      "select pool, until - toolwharf_now() as left from permits where pool <> 'tool short'",
    );
    expect(rows.map(({ left }) => Number(left) > 500_000)).toEqual([true, true]);
  });

  test('the permits of a lost replica are returned when the replica comes back: unused ones at once, the others when their calls end', async () => {
    await using fleet = await createReplicas();
    const zombie = await fleet.open({ maxConcurrent: 2, holdPollMs: 600_000, hasHints: false });
    const running = await zombie.permits.acquire('a', 1, caller(600_000));
    (await zombie.permits.acquire('b', 1, caller(600_000)))[Symbol.dispose]();
    expect(zombie.limits.held.get('all')).toBe(2);
    await fleet.removeLost(zombie);
    const other = await fleet.open({ maxConcurrent: 2 });
    const waiting = ['a', 'b'].map((key) => trackPermit(other.permits.acquire(key, 1, caller(600_000))));
    await wait(300);
    expect(waiting.map(({ permit }) => permit?.key)).toEqual([undefined, undefined]);
    await zombie.store.lease.renew();
    await waitFor(() => waiting[1]?.permit, { what: 'the unused permit' });
    await wait(300);
    expect(waiting[0]?.permit).toBeUndefined();
    running[Symbol.dispose]();
    await waitFor(() => waiting[0]?.permit, { what: 'the permit of the ended call' });
  });

  test('a replica that comes back runs no calls until it has leased new permits', async () => {
    await using fleet = await createReplicas();
    const zombie = await fleet.open();
    (await zombie.permits.acquire('a', 1))[Symbol.dispose]();
    await fleet.removeLost(zombie);
    const other = await fleet.open();
    using _taken = await other.permits.acquire('a', 1);
    await zombie.store.lease.renew();
    expect(zombie.permits.tryAcquire('a', 1)).toBeUndefined();
    const next = trackPermit(zombie.permits.acquire('a', 1));
    await wait(300);
    expect(next.permit).toBeUndefined();
  });

  test('a replica that comes back after the time limit of its calls ends them, because their permits are free', async () => {
    await using fleet = await createReplicas();
    const zombie = await fleet.open();
    const permit = await zombie.permits.acquire('a', 1, caller(1));
    const expired = Promise.withResolvers<void>();
    permit.onExpired?.(expired.resolve);
    await fleet.removeLost(zombie);
    await zombie.store.lease.renew();
    await expired.promise;
  });
});

describe('a database that fails', () => {
  test('a request for permits that the database executes late, after a later one, has no effect', async () => {
    await using fleet = await createReplicas();
    const { store } = await fleet.open();
    const { epoch } = store.lease;
    const wanted = [{ pools: { all: 1 }, count: 1, maxCallMs: 1_000 }];
    expect(await store.limits.syncPermits({ epoch, seq: 2, held: [], wanted })).toMatchObject({ granted: { all: 1 } });
    expect(await store.limits.syncPermits({ epoch, seq: 1, held: [], wanted: [] })).toBeUndefined();
    expect(await fleet.sql('select units from permits')).toEqual([{ units: '1' }]);
  });

  test('waiting calls fail while the database is unavailable, and calls run again afterwards', async () => {
    await using fleet = await createReplicas();
    let isUnavailable = true;
    const { permits, limits } = await fleet.open({
      changeStore: (store) => ({
        ...store,
        syncPermits: async (request) => {
          if (isUnavailable) throw new Error('the database is unavailable');
          return store.syncPermits(request);
        },
      }),
    });
    await expect(permits.acquire('a', 1)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(limits.failure).toBe('the database is unavailable');
    expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
    isUnavailable = false;
    using _permit = await permits.acquire('a', 1);
    expect(limits.failure).toBeUndefined();
  });

  test('a permit that the database granted is not lost if its answer is', async () => {
    await using fleet = await createReplicas();
    let losesAnswer = true;
    const one = await fleet.open({
      changeStore: (store) => ({
        ...store,
        syncPermits: async (request) => {
          const answer = await store.syncPermits(request);
          if (losesAnswer && request.wanted.length > 0) throw new Error('the answer is lost');
          return answer;
        },
      }),
    });
    await expect(one.permits.acquire('a', 1)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    losesAnswer = false;
    (await one.permits.acquire('a', 1))[Symbol.dispose]();
    const two = await fleet.open();
    using _permit = await two.permits.acquire('a', 1);
    expect(await fleet.sql("select sum(units) as units from permits where pool = 'all'")).toEqual([{ units: '1' }]);
  });
});

test('a call that waits after another one gave up during a request for its permit gets the permit when it is free', async () => {
  await using fleet = await createReplicas();
  const one = await fleet.open({ hasHints: false });
  const running = await one.permits.acquire('a', 1);
  const answered = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const two = await fleet.open({
    hasHints: false,
    changeStore: (store) => ({
      ...store,
      syncPermits: async (request) => {
        const answer = await store.syncPermits(request);
        asked.resolve();
        await answered.promise;
        return answer;
      },
    }),
  });
  const cancel = new AbortController();
  const waiting = two.permits.acquire('a', 1, { signal: cancel.signal });
  await asked.promise;
  cancel.abort(new Error('changed my mind'));
  await expect(waiting).rejects.toThrow('changed my mind');
  answered.resolve();
  // The answer arrives, and nothing waits for it any more.
  await new Promise((resolve) => setImmediate(resolve));
  running[Symbol.dispose]();
  (await two.permits.acquire('a', 1))[Symbol.dispose]();
});

describe('a rate', () => {
  test('a rate accepts as many calls as it allows in a period, on all replicas together', async () => {
    await using fleet = await createReplicas();
    const replicas = await Promise.all([1, 2, 3].map(() => fleet.open()));
    const limit = { calls: 5, perMs: 600_000 };
    const answers = await Promise.all(
      replicas.flatMap(({ limits }) => Array.from({ length: 10 }, () => limits.rates.take('s', limit))),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(5);
    for (const answer of answers) if (!answer.ok) expect(answer.retryAfterMs).toBeGreaterThan(500_000);
    expect(await replicas[0]?.limits.rates.take('other', limit)).toEqual({ ok: true });
  });

  test('a rate never accepts more calls in any period, while replicas take as much as they can', async () => {
    await using fleet = await createReplicas();
    const replicas = await Promise.all([1, 2, 3].map(() => fleet.open()));
    const limit = { calls: 4, perMs: 200 };
    const accepted: number[] = [];
    const take = async ({ limits }: Replica) => {
      while (accepted.length < 20) {
        const answer = await limits.rates.take('s', limit);
        if (!answer.ok) await wait(Math.min(answer.retryAfterMs, 20));
        else {
          // The calls of the last period are stored with their times.
          const rows = await fleet.sql('select at from rate_calls order by number');
          accepted.push(...rows.map(({ at }) => Number(at)));
        }
      }
    };
    await Promise.all(replicas.map(take));
    const times = [...new Set(accepted)].sort((a, b) => a - b);
    const tooMany = times.filter(
      (at, index) => at - (times[index - limit.calls] ?? Number.NEGATIVE_INFINITY) < limit.perMs,
    );
    expect(tooMany).toEqual([]);
  });

  test('a rate allows more or fewer calls at once after a change of the limit, and is not blocked by a clock that was set back', async () => {
    await using fleet = await createReplicas();
    const { limits } = await fleet.open();
    const take = (calls: number) => limits.rates.take('s', { calls, perMs: 600_000 });
    expect([(await take(2)).ok, (await take(2)).ok, (await take(2)).ok]).toEqual([true, true, false]);
    expect([(await take(3)).ok, (await take(3)).ok, (await take(1)).ok]).toEqual([true, false, false]);
    await fleet.sql('update rate_calls set at = at + 86400000');
    expect(await take(3)).toMatchObject({ ok: false, retryAfterMs: 600_000 });
  });
});
