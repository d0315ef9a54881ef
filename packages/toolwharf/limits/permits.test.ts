import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { trackPermit } from '../../../test/support/track-permit.ts';
import { ToolwharfError } from '../../contract/errors.ts';
import { type Permit, releaseWhenAnswered } from '../invocation/permits.ts';
import { createPermits } from './permits.ts';

/** Waits until every promise that can settle has settled. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('max_concurrent limits the calls of all tools, and max_instances those of one tool [M12]', async () => {
  const permits = createPermits({ maxConcurrent: 3, maxQueued: 10 });
  const a1 = await permits.acquire('a', 2);
  const a2 = await permits.acquire('a', 2);
  const a3 = trackPermit(permits.acquire('a', 2));
  const b1 = await permits.acquire('b', 2);
  const b2 = trackPermit(permits.acquire('b', 2));
  await settle();
  expect([a3.permit, b2.permit]).toEqual([undefined, undefined]);
  expect(permits.stats()).toEqual({
    running: 3,
    queued: 2,
    byKey: new Map([
      ['a', { running: 2, queued: 1 }],
      ['b', { running: 1, queued: 1 }],
    ]),
  });
  b1[Symbol.dispose]();
  await settle();
  expect(a3.permit).toBeUndefined();
  expect(b2.permit?.key).toBe('b');
  a1[Symbol.dispose]();
  await settle();
  expect(a3.permit?.key).toBe('a');
  a2[Symbol.dispose]();
});

test('the oldest waiting call that may run is the next to run, across all tools [M12]', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 10 });
  const first = await permits.acquire('a', 5);
  const order: string[] = [];
  const wait = async (key: string, name: string) => {
    using _permit = await permits.acquire(key, 5);
    order.push(name);
  };
  const all = [wait('a', 'a1'), wait('a', 'a2'), wait('b', 'b1'), wait('a', 'a3'), wait('c', 'c1')];
  first[Symbol.dispose]();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'c1']);
});

test('a tool at its limit does not block the queued calls of other tools [M12]', async () => {
  const permits = createPermits({ maxConcurrent: 10, maxQueued: 100 });
  using _running = await permits.acquire('slow', 1);
  const waiting = Array.from({ length: 50 }, () => trackPermit(permits.acquire('slow', 1)));
  using other = await permits.acquire('quick', 1);
  expect(other.key).toBe('quick');
  expect(waiting.every((state) => state.permit === undefined)).toBe(true);
});

test('a permit is released once, whether its block returns or throws', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 0 });
  const use = async (fail: boolean) => {
    using permit = await permits.acquire('a', 1);
    permit[Symbol.dispose]();
    permit[Symbol.dispose]();
    if (fail) throw new Error('tool failed');
  };
  await use(false);
  await expect(use(true)).rejects.toThrow('tool failed');
  expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
});

test('a cancelled waiter leaves the queue at once and rejects with the reason [M12]', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 10 });
  const running = await permits.acquire('a', 1);
  const cancel = new AbortController();
  const cancelled = trackPermit(permits.acquire('a', 1, { signal: cancel.signal }));
  const next = trackPermit(permits.acquire('a', 1));
  cancel.abort(new Error('changed my mind'));
  expect(permits.stats().queued).toBe(1);
  await settle();
  expect(cancelled.error).toEqual(new Error('changed my mind'));
  running[Symbol.dispose]();
  await settle();
  expect(next.permit).toBeDefined();
});

test('a waiter with an aborted signal acquires no permit', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 10 });
  await expect(permits.acquire('a', 1, { signal: AbortSignal.abort('gone') })).rejects.toBe('gone');
  expect(permits.stats().running).toBe(0);
});

test('a signal that aborts after the permit was granted does not revoke it', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 10 });
  const running = await permits.acquire('a', 1);
  const cancel = new AbortController();
  const waiting = permits.acquire('a', 1, { signal: cancel.signal });
  running[Symbol.dispose]();
  cancel.abort();
  using permit = await waiting;
  expect(permit.key).toBe('a');
  expect(permits.stats().running).toBe(1);
});

test('a full queue rejects the call and names the limits to raise [M12]', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 1 });
  const running = await permits.acquire('a', 1);
  const queued = trackPermit(permits.acquire('b', 1));
  const refused = await permits.acquire('c', 1).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ToolwharfError);
  expect(refused).toMatchObject({ code: 'QUEUE_FULL', data: { key: 'c', maxConcurrent: 1, maxQueued: 1 } });
  expect((refused as Error).message).toBe(
    'c was not called: max_concurrent is 1, and 1 calls are already queued (max_queued). Try again later, or raise max_concurrent or max_queued.',
  );
  running[Symbol.dispose]();
  await settle();
  expect(queued.permit).toBeDefined();
});

test('a full queue names the limit of the tool or of the caller if the call waits for that one', async () => {
  const permits = createPermits({ maxConcurrent: 10, maxQueued: 1 });
  const caller = { id: 'ada', limits: { maxRunning: 2, maxQueued: 10 } };
  using _running = await permits.acquire('a', 1, { caller });
  using _other = await permits.acquire('b', 5, { caller });
  const queued = trackPermit(permits.acquire('a', 1));
  await expect(permits.acquire('a', 1)).rejects.toMatchObject({
    data: { limit: 'max_instances' },
    message: expect.stringContaining('max_instances of a is 1, and 1 calls are already queued'),
  });
  await expect(permits.acquire('b', 5, { caller })).rejects.toMatchObject({
    data: { limit: 'maxRunningCallsPerCaller' },
    message: expect.stringContaining('maxRunningCallsPerCaller is 2'),
  });
  expect(queued.permit).toBeUndefined();
});

test('the permit of a call without an answer is released once: by the answer, or after the grace period', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const permits = createPermits({ maxConcurrent: 1, maxQueued: 10 });
    const answered = Promise.withResolvers<void>();
    let forgotten = 0;
    const forget = () => void forgotten++;
    releaseWhenAnswered(await permits.acquire('a', 1), { end: answered.promise, forget }, 30_000);
    expect(permits.stats().unanswered).toBe(1);
    expect(permits.explainWait('b', 1).text).toContain(
      '1 permit is held by a call that timed out or was cancelled 0 s',
    );
    vi.advanceTimersByTime(29_999);
    expect(permits.tryAcquire('a', 1)).toBeUndefined();
    vi.advanceTimersByTime(1);
    const second = permits.tryAcquire('a', 1) as Permit;
    expect(second.key).toBe('a');
    answered.resolve();
    await settle();
    expect([permits.tryAcquire('a', 1), permits.stats().unanswered]).toEqual([undefined, undefined]);
    releaseWhenAnswered(second, { end: answered.promise, forget }, 30_000);
    await settle();
    expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
    expect([forgotten, vi.getTimerCount()]).toEqual([3, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('changed limits apply to calls that are already queued [M15]', async () => {
  const permits = createPermits({ maxConcurrent: 2, maxQueued: 10 });
  using _first = await permits.acquire('a', 1);
  const second = trackPermit(permits.acquire('a', 1));
  const third = trackPermit(permits.acquire('a', 2));
  await settle();
  expect(second.permit).toBeDefined();
  expect(third.permit).toBeUndefined();
  const fourth = trackPermit(permits.acquire('a', 3));
  permits.setLimits({ maxConcurrent: 3, maxQueued: 10 });
  await settle();
  expect(third.permit).toBeDefined();
  expect(fourth.permit).toBeUndefined();
});

test('ten thousand queued calls that share one signal are granted permits in order', async () => {
  const permits = createPermits({ maxConcurrent: 4, maxQueued: 20_000 });
  const { signal } = new AbortController();
  const served: number[] = [];
  const work = async (at: number) => {
    using _permit = await permits.acquire(`tool-${at % 7}`, 3, { signal });
    served.push(at);
    await Promise.resolve();
  };
  await Promise.all(Array.from({ length: 10_000 }, (_, at) => work(at)));
  expect(served).toHaveLength(10_000);
  for (let tool = 0; tool < 7; tool++) {
    const ofTool = served.filter((at) => at % 7 === tool);
    expect(ofTool).toEqual([...ofTool].sort((a, b) => a - b));
  }
  expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
});

test('one signal cancels ten thousand queued calls', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 20_000 });
  const running = await permits.acquire('a', 1);
  const cancel = new AbortController();
  const states = Array.from({ length: 10_000 }, (_, at) =>
    trackPermit(permits.acquire(`tool-${at % 100}`, 1, { signal: cancel.signal })),
  );
  cancel.abort('stop');
  await settle();
  expect(states.every((state) => state.error === 'stop')).toBe(true);
  expect(permits.stats().queued).toBe(0);
  running[Symbol.dispose]();
  using next = await permits.acquire('tool-1', 1);
  expect(next.key).toBe('tool-1');
});

type Step =
  | { readonly kind: 'acquire'; readonly key: string }
  | { readonly kind: 'release'; readonly which: number }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'limit'; readonly key: string; readonly max: number }
  | { readonly kind: 'resize'; readonly maxConcurrent: number };

/** A reference model of the same rules: one list of waiting calls, searched from the front. */
function createReference(maxQueued: number) {
  let maxConcurrent = 2;
  const max = new Map<string, number>();
  const running: { id: number; key: string }[] = [];
  let waiting: { id: number; key: string }[] = [];
  const runningOf = (key: string) => running.filter((call) => call.key === key).length;
  const mayRun = (key: string) => running.length < maxConcurrent && runningOf(key) < (max.get(key) ?? 0);
  function grantWaiting() {
    for (;;) {
      const next = waiting.find((call) => mayRun(call.key));
      if (!next) return;
      waiting = waiting.filter((call) => call !== next);
      running.push(next);
    }
  }
  return {
    running,
    waiting: () => waiting.map((call) => call.id),
    isFull: () => waiting.length >= maxQueued,
    mayRun,
    acquire(id: number, key: string, maxInstances: number): 'running' | 'waiting' | 'refused' {
      max.set(key, maxInstances);
      grantWaiting();
      if (mayRun(key)) running.push({ id, key });
      else if (waiting.length >= maxQueued) return 'refused';
      else waiting.push({ id, key });
      return running.some((call) => call.id === id) ? 'running' : 'waiting';
    },
    release(id: number) {
      const at = running.findIndex((call) => call.id === id);
      if (at >= 0) running.splice(at, 1);
      grantWaiting();
    },
    cancel(id: number) {
      waiting = waiting.filter((call) => call.id !== id);
    },
    resize(limit: number) {
      maxConcurrent = limit;
      grantWaiting();
    },
    limits: () => ({ maxConcurrent, max }),
  };
}

test('random acquisitions, releases, cancellations and limit changes match a simple reference model [M12]', async () => {
  const key = fc.constantFrom('a', 'b', '__proto__');
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('acquire' as const), key }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('limit' as const), key, max: fc.integer({ min: 1, max: 3 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('resize' as const), maxConcurrent: fc.integer({ min: 1, max: 5 }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const permits = createPermits({ maxConcurrent: 2, maxQueued: 5 });
      const model = createReference(5);
      const limitOf = new Map<string, number>();
      const calls: { id: number; state: ReturnType<typeof trackPermit>; cancel: AbortController }[] = [];
      for (const current of steps) {
        if (current.kind === 'acquire') {
          const id = calls.length;
          const max = limitOf.get(current.key) ?? 2;
          const cancel = new AbortController();
          const state = trackPermit(permits.acquire(current.key, max, { signal: cancel.signal }));
          const expected = model.acquire(id, current.key, max);
          calls.push({ id, state, cancel });
          await settle();
          if (expected === 'refused') expect(state.error).toMatchObject({ code: 'QUEUE_FULL' });
        } else if (current.kind === 'release') {
          const holding = calls.filter(({ id }) => model.running.some((call) => call.id === id));
          const chosen = holding[current.which % Math.max(1, holding.length)];
          chosen?.state.permit?.[Symbol.dispose]();
          if (chosen) model.release(chosen.id);
        } else if (current.kind === 'cancel') {
          const chosen = calls[current.which % Math.max(1, calls.length)];
          chosen?.cancel.abort('cancelled');
          if (chosen) model.cancel(chosen.id);
        } else if (current.kind === 'limit') limitOf.set(current.key, current.max);
        else {
          permits.setLimits({ maxConcurrent: current.maxConcurrent, maxQueued: 5 });
          model.resize(current.maxConcurrent);
        }
        await settle();
        for (const { id, state } of calls) {
          const isRunning = model.running.some((call) => call.id === id);
          if (isRunning) expect(state.permit, `call ${id} should run`).toBeDefined();
          if (model.waiting().includes(id)) expect(state, `call ${id} should wait`).toEqual({});
        }
        const stats = permits.stats();
        expect(stats.running).toBe(model.running.length);
        expect(stats.queued).toBe(model.waiting().length);
      }
    }),
    { numRuns: 150 },
  );
});

test('callers are served in turn, so that one with many waiting calls does not delay another', async () => {
  const permits = createPermits({ maxConcurrent: 1, maxQueued: 100 });
  const first = await permits.acquire('a', 5);
  const order: string[] = [];
  const wait = async (key: string, id: string) => {
    using _permit = await permits.acquire(key, 5, { caller: { id } });
    order.push(id);
  };
  const flood = Array.from({ length: 10 }, () => wait('a', 'flood'));
  const others = [wait('a', 'ada'), wait('b', 'bob'), wait('b', 'bob')];
  first[Symbol.dispose]();
  await Promise.all([...flood, ...others]);
  expect(order.slice(0, 6).toSorted()).toEqual(['ada', 'bob', 'bob', 'flood', 'flood', 'flood']);
  expect(order.slice(6)).toEqual(Array(7).fill('flood'));
  expect(permits.stats()).toEqual({ running: 0, queued: 0, byKey: new Map() });
});

test('a caller at its limit of running calls waits for its own calls only, for every tool', async () => {
  const permits = createPermits({ maxConcurrent: 10, maxQueued: 100 });
  const caller = { id: 'flood', limits: { maxRunning: 2, maxQueued: 2 } };
  const running = [await permits.acquire('a', 5, { caller }), await permits.acquire('b', 5, { caller })];
  const waiting = ['a', 'c'].map((key) => trackPermit(permits.acquire(key, 5, { caller })));
  expect(permits.tryAcquire('d', 5, caller)).toBeUndefined();
  await expect(permits.acquire('d', 5, { caller })).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    data: { limit: 'queued_calls', max: 2, retryAfterMs: 1_000 },
  });
  const other = permits.tryAcquire('a', 5, { id: 'ada', limits: caller.limits });
  expect(other?.key).toBe('a');
  await settle();
  expect(waiting.map(({ permit }) => permit)).toEqual([undefined, undefined]);
  running[1]?.[Symbol.dispose]();
  await settle();
  expect(waiting[0]?.permit?.key).toBe('a');
  running[0]?.[Symbol.dispose]();
  await settle();
  expect(waiting[1]?.permit?.key).toBe('c');
});
