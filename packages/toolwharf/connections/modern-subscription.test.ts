import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../kernel/log.ts';
import { createModernSubscription } from './modern-subscription.ts';
import type { Session } from './session.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const all = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } };

/** A session whose server opens and ends subscriptions as `refuse` says, and the order of what it was asked. */
function subscribe(capabilities: object, refuse: () => unknown = () => undefined) {
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const end = new AbortController();
  let missed = 0;
  const client = {
    async listen(filter: object) {
      events.push(`open ${Object.keys(filter).join(' ')}`);
      const cause = refuse();
      if (cause !== undefined) throw cause;
      const closed = Promise.withResolvers<void>();
      ends.push(closed.resolve);
      return {
        closed: closed.promise,
        async close() {
          events.push('close');
        },
      };
    },
  };
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  const subscription = createModernSubscription({ capabilities, client } as unknown as Session, {
    signal: end.signal,
    clock: { now: () => Date.now(), sleep },
    log: silentLog,
    server: 's',
    timeoutMs: 1_000,
    onMissed: () => missed++,
  });
  return { subscription, events, ends, end: () => end.abort(), missed: () => missed };
}

test('a server that announces no changes gets no subscription request', async () => {
  const { events, subscription } = subscribe({ tools: {} });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(events).toEqual([]);
  await subscription.watch(['memo://one']);
  expect(events).toEqual(['open resourceSubscriptions']);
  await subscription.watch([]);
  expect(events).toEqual(['open resourceSubscriptions', 'close']);
});

test.each([
  ['method not found', Object.assign(new Error('unknown'), { code: -32601 })],
  ['HTTP 404', Object.assign(new Error('Not Found'), { status: 404 })],
])('a server that answers %s is not asked again in the same session', async (_name, cause) => {
  const { events, subscription } = subscribe(all, () => cause);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(events).toHaveLength(1);
  await expect(subscription.watch(['memo://one'])).rejects.toBe(cause);
});

test('a subscription is ended before the next one is opened, and changes in between are read', async () => {
  const { events, subscription, missed } = subscribe(all);
  await vi.advanceTimersByTimeAsync(0);
  await subscription.watch(['memo://one']);
  expect(events).toEqual([
    'open toolsListChanged resourcesListChanged',
    'close',
    'open toolsListChanged resourcesListChanged resourceSubscriptions',
  ]);
  expect(missed()).toBe(1);
});

test('a subscription that the server ends is opened again, and the earlier one if a server refuses the next', async () => {
  let refusal: unknown;
  const { events, subscription, ends, missed, end } = subscribe(all, () => refusal);
  await vi.advanceTimersByTimeAsync(0);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(events.filter((event) => event.startsWith('open'))).toHaveLength(2);
  expect(missed()).toBe(1);
  refusal = new Error('no such resource');
  const refused = subscription.watch(['memo://none']);
  await expect(refused).rejects.toBe(refusal);
  refusal = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events.at(-1)).toBe('open toolsListChanged resourcesListChanged');
  end();
  await vi.advanceTimersByTimeAsync(0);
  await expect(subscription.watch([])).rejects.toThrow();
});
