import { expect, test } from 'vitest';
import { createTerminalLock } from './terminal-lock.ts';

test('one prompt at a time has the terminal, and listeners are called when it is released', async () => {
  const lock = createTerminalLock();
  const order: string[] = [];
  const end = lock.onRelease(() => order.push('released'));
  const first = Promise.withResolvers<void>();
  const one = lock.run(async () => {
    order.push('one starts');
    await first.promise;
    order.push('one ends');
    return 1;
  });
  const two = lock.run(async () => {
    order.push('two');
    throw new Error('broken');
  });
  await Promise.resolve();
  expect(lock.isHeld).toBe(true);
  first.resolve();
  expect(await one).toBe(1);
  await expect(two).rejects.toThrow('broken');
  expect(order).toEqual(['one starts', 'one ends', 'two', 'released']);
  expect(lock.isHeld).toBe(false);
  end();
  await lock.run(async () => {});
  expect(order).toHaveLength(4);
});
