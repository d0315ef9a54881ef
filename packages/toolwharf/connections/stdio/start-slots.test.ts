import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStartSlots } from './start-slots.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = new AbortController().signal;

/** Programs that take slots in order: the names of those that may start. */
function startAll(names: readonly string[], max: number) {
  const slots = createStartSlots(() => max);
  const started: string[] = [];
  const taken = names.map(async (name) => {
    const slot = await slots.take(never);
    started.push(name);
    return slot;
  });
  return { slots, started, end: async (at: number) => (await taken[at])?.[Symbol.dispose]() };
}

test('no more programs start at the same time than the limit, in the order in which they were asked for', async () => {
  const { started, end } = startAll(['a', 'b', 'c', 'd'], 2);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(started).toEqual(['a', 'b']);
  await end(1);
  await end(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a', 'b', 'c']);
});

test('a program that hangs does not delay the others for longer than ten seconds', async () => {
  const { started, end } = startAll(['a', 'b', 'c'], 1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(started).toEqual(['a', 'b']);
  await end(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual(['a', 'b']);
});

test('a start that is no longer wanted leaves the queue and keeps no slot', async () => {
  const { slots, started, end } = startAll(['a'], 1);
  const cancel = new AbortController();
  const unwanted = slots.take(cancel.signal);
  const next = slots.take(never);
  cancel.abort(new Error('not wanted'));
  await expect(unwanted).rejects.toThrow('not wanted');
  expect(started).toEqual(['a']);
  await end(0);
  (await next)[Symbol.dispose]();
  (await slots.take(never))[Symbol.dispose]();
});
