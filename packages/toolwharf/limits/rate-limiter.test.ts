import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';

function createTime(start = 0) {
  let time = start;
  return {
    now: () => time,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('calls within the limit pass at once, and the next call is rejected with a retry time [R20]', () => {
  const clock = createTime(1_000_000);
  const limiter = createRateLimiter({ clock });
  const limit = { calls: 2, perMs: 1000 };
  expect(limiter.take('github', limit)).toEqual({ ok: true });
  clock.pass(400);
  expect(limiter.take('github', limit)).toEqual({ ok: true });
  expect(limiter.take('github', limit)).toEqual({ ok: false, retryAfterMs: 600 });
  clock.pass(599);
  expect(limiter.take('github', limit)).toEqual({ ok: false, retryAfterMs: 1 });
  clock.pass(1);
  expect(limiter.take('github', limit)).toEqual({ ok: true });
  expect(limiter.take('github', limit)).toEqual({ ok: false, retryAfterMs: 400 });
});

test('each key has its own window, including names of Object.prototype members', () => {
  const limiter = createRateLimiter({ clock: createTime() });
  const limit = { calls: 1, perMs: 1000 };
  for (const key of ['a', 'b', '__proto__', 'constructor']) {
    expect(limiter.take(key, limit).ok).toBe(true);
    expect(limiter.take(key, limit).ok).toBe(false);
  }
});

test('no window at any position contains more calls than allowed, and no call is rejected while capacity remains [R20]', () => {
  const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 400 })), {
    maxLength: 120,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 300 }), (waits, calls, perMs) => {
      const clock = createTime();
      const limiter = createRateLimiter({ clock });
      const passed: number[] = [];
      for (const wait of waits) {
        clock.pass(wait);
        const now = clock.now();
        const recent = passed.filter((time) => time > now - perMs);
        const answer = limiter.take('key', { calls, perMs });
        expect(answer.ok).toBe(recent.length < calls);
        if (answer.ok) passed.push(now);
        else expect(answer.retryAfterMs).toBe((recent.at(-calls) ?? Number.NaN) + perMs - now);
      }
      for (const start of passed)
        expect(passed.filter((time) => time >= start && time < start + perMs).length).toBeLessThanOrEqual(calls);
    }),
  );
});

test('a retry after the returned time succeeds', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 50 }), (waits) => {
      const clock = createTime();
      const limiter = createRateLimiter({ clock });
      const limit = { calls: 3, perMs: 100 };
      for (const wait of waits) {
        clock.pass(wait);
        const answer = limiter.take('key', limit);
        if (answer.ok) continue;
        clock.pass(answer.retryAfterMs);
        expect(limiter.take('key', limit).ok).toBe(true);
      }
    }),
  );
});

test('a changed limit applies from the next call', () => {
  const clock = createTime();
  const limiter = createRateLimiter({ clock });
  for (let call = 0; call < 5; call++) limiter.take('key', { calls: 5, perMs: 1000 });
  expect(limiter.take('key', { calls: 6, perMs: 1000 }).ok).toBe(true);
  expect(limiter.take('key', { calls: 2, perMs: 1000 })).toEqual({ ok: false, retryAfterMs: 1000 });
});

test('a clock that is set back blocks a key for one window at most', () => {
  const clock = createTime(10_000_000);
  const limiter = createRateLimiter({ clock });
  const limit = { calls: 1, perMs: 1000 };
  limiter.take('key', limit);
  clock.pass(-5_000_000);
  expect(limiter.take('key', limit)).toEqual({ ok: false, retryAfterMs: 1000 });
  clock.pass(1000);
  expect(limiter.take('key', limit).ok).toBe(true);
});

test('keys that are no longer used are removed', () => {
  const clock = createTime();
  const limiter = createRateLimiter({ clock });
  limiter.take('long', { calls: 1, perMs: 1e9 });
  for (let key = 0; key < 1000; key++) limiter.take(`key-${key}`, { calls: 1, perMs: 100 });
  clock.pass(100);
  for (let call = 0; call < 1000; call++) limiter.take('other', { calls: 10_000, perMs: 100 });
  expect(limiter.size).toBe(2);
  expect(limiter.take('long', { calls: 1, perMs: 1e9 }).ok).toBe(false);
});
