import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('expensive work begins one after the other, callers in turn, with pauses between', async () => {
  const turns = createFairTurns();
  const begun: string[] = [];
  const take = (caller: string, name: string) => turns.take(caller, 10).then(() => void begun.push(name));
  const all = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3'), take('b', 'b1')];
  await all[0];
  expect(begun).toEqual(['a1']);
  await vi.advanceTimersByTimeAsync(29);
  expect(begun).toEqual(['a1']);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['a1', 'a2']);
  await vi.advanceTimersByTimeAsync(60);
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  await vi.advanceTimersByTimeAsync(30);
  await take('c', 'c1');
  expect(begun.at(-1)).toBe('c1');
});
