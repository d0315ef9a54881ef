import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSaver } from './draft.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('writes never overlap, and every save includes the value at the time of its call', async () => {
  let state = 0;
  let running = 0;
  const written: number[] = [];
  const { save } = createSaver({
    async write() {
      expect(++running).toBe(1);
      const now = state;
      await new Promise((resolve) => setImmediate(resolve));
      written.push(now);
      running--;
    },
    onError: () => {},
    debounceMs: 1,
  });
  const saves = Array.from({ length: 10 }, async () => {
    state++;
    const mine = state;
    await save();
    expect(written.at(-1)).toBeGreaterThanOrEqual(mine);
  });
  await Promise.all(saves);
  expect(written.length).toBeLessThan(4);
});

test('a deferred save is written after the debounce time, and its failure is reported', async () => {
  let tries = 0;
  const failures: unknown[] = [];
  const saver = createSaver({
    async write() {
      if (++tries === 1) throw new Error('full');
    },
    onError: (cause) => failures.push(cause),
    debounceMs: 5,
  });
  for (let times = 0; times < 5; times++) saver.saveSoon();
  await vi.advanceTimersByTimeAsync(5);
  expect([tries, failures.length]).toEqual([1, 1]);
  saver.saveSoon();
  await saver.save();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBe(2);
});
