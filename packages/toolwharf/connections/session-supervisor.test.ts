import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConnectionError, ToolwharfError } from '../../contract/errors.ts';
import type { systemClock } from '../kernel/clock.ts';
import type { Session } from './session.ts';
import { createSessionSupervisor } from './session-supervisor.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // Pauses are random: none may end just when a test looks.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const refused = new ConnectionError('SERVER_UNREACHABLE', 'connect ECONNREFUSED', { data: { reached: false } });

/** A supervisor of a server that `isUp` switches on, with the times of all attempts in seconds. */
function supervise(failure: ToolwharfError = refused, onOpened = async () => {}) {
  const attempts: number[] = [];
  const startedAt = Date.now();
  const clock = {
    now: () => Date.now(),
    // The timers of node:timers/promises are not faked.
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      }),
  } satisfies typeof systemClock;
  const server = { isUp: false };
  const supervisor = createSessionSupervisor({
    spec: { name: 'late', retryAttempts: 0, timeoutMs: 1_000 } as never,
    clock,
    async open() {
      attempts.push((Date.now() - startedAt) / 1_000);
      if (!server.isUp) throw failure;
      return { lifetime: new AbortController(), close: async () => {} } as unknown as Session;
    },
    onOpened,
    onConnected: () => {},
    onLeft: () => {},
    onDisconnect: async () => {},
    onStatus: () => {},
    problem: () => undefined,
    redactError: (error) => error,
  });
  return { supervisor, attempts, server };
}

test('a server counts as connected for everybody only when its lists have been read', async () => {
  const lists = Promise.withResolvers<void>();
  const { supervisor, server } = supervise(refused, () => lists.promise);
  server.isUp = true;
  const first = supervisor.connect({ attempts: 1, signal: undefined });
  await vi.advanceTimersByTimeAsync(0);
  expect(supervisor.session()).toBeDefined();
  let isReady = false;
  const second = supervisor.connect({ attempts: 1, signal: undefined }).then(() => {
    isReady = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isReady).toBe(false);
  lists.resolve();
  await Promise.all([first, second]);
  expect(supervisor.status().state).toBe('connected');
});

test('a server that is down is tried twice a minute for ten minutes, and then every few minutes [O3]', async () => {
  const { supervisor, attempts } = supervise();
  await expect(supervisor.connect({ attempts: 1, signal: undefined })).rejects.toBe(refused);
  await vi.advanceTimersByTimeAsync(3_600_000);
  const pauses = attempts.slice(1).map((at, index) => ({ at, pause: at - (attempts[index] ?? 0) }));
  const early = pauses.filter(({ at }) => at <= 600);
  expect(early.length).toBeGreaterThan(20);
  expect(Math.max(...early.map(({ pause }) => pause))).toBeLessThanOrEqual(30);
  expect(Math.max(...pauses.map(({ pause }) => pause))).toBeLessThanOrEqual(180);
  expect(supervisor.status().failures).toBe(attempts.length);
  const pauseLeft = Date.parse(supervisor.status().nextTryAt ?? '') - Date.now();
  expect(pauseLeft).toBeGreaterThan(0);
  expect(pauseLeft).toBeLessThanOrEqual(180_000);
});

test('requests that need a server which is down share one attempt, and cause at most one per second [O3]', async () => {
  const { supervisor, attempts, server } = supervise();
  await supervisor.connect({ attempts: 1, signal: undefined }).catch(() => {});
  await vi.advanceTimersByTimeAsync(600_000);
  const before = attempts.length;
  const failing = Promise.all([0, 1, 2].map(() => supervisor.ready().catch((cause: unknown) => cause)));
  await vi.advanceTimersByTimeAsync(0);
  for (const cause of await failing)
    expect(cause).toMatchObject({ code: 'SERVER_DISCONNECTED', data: { reached: false } });
  expect(attempts.length).toBe(before + 1);

  server.isUp = true;
  const waiting = Promise.all([0, 1, 2].map(() => supervisor.ready()));
  await vi.advanceTimersByTimeAsync(999);
  expect(attempts.length).toBe(before + 1);
  const { nextTryAt } = supervisor.status();
  await vi.advanceTimersByTimeAsync(1);
  expect(new Set(await waiting).size).toBe(1);
  expect(attempts.length).toBe(before + 2);
  expect(nextTryAt).toBe(new Date().toISOString());
  expect(supervisor.status()).toMatchObject({ state: 'connected', failures: 0 });
});

test('a request does not wait for an hour because the clock of the machine was set back', async () => {
  const { supervisor, server } = supervise();
  await supervisor.connect({ attempts: 1, signal: undefined }).catch(() => {});
  vi.setSystemTime(Date.now() - 3_600_000);
  server.isUp = true;
  const ready = supervisor.ready();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await ready).toBeDefined();
});

test('a server that needs a sign-in is tried every three minutes', async () => {
  const { supervisor, attempts } = supervise(new ToolwharfError('OAUTH_REQUIRED', 'sign in'));
  await supervisor.connect({ attempts: 5, signal: undefined }).catch(() => {});
  await vi.advanceTimersByTimeAsync(600_000);
  expect(attempts).toEqual([0, 180, 360, 540]);
});
