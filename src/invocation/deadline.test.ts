import { expect, test } from 'vitest';
import { createDeadline } from './deadline.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('it aborts when its time is used up', async () => {
  using deadline = createDeadline(10);
  await expect.poll(() => deadline.signal.aborted).toBe(true);
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('while paused the time stands still, also for overlapping pauses', async () => {
  using deadline = createDeadline(60);
  const resume = deadline.pause();
  const resumeToo = deadline.pause();
  resume();
  resume();
  await wait(120);
  expect(deadline.signal.aborted).toBe(false);
  resumeToo();
  await expect.poll(() => deadline.signal.aborted).toBe(true);
});

test('a disposed one never fires, even if resumed late', async () => {
  const deadline = createDeadline(10);
  const resume = deadline.pause();
  deadline[Symbol.dispose]();
  resume();
  await wait(40);
  expect(deadline.signal.aborted).toBe(false);
});
