import { expect, test } from 'vitest';
import { createFloor } from './floor.ts';

test('one question has the terminal at a time, and the others hear when it is free', async () => {
  const floor = createFloor();
  const order: string[] = [];
  const end = floor.onFree(() => order.push('free'));
  const first = Promise.withResolvers<void>();
  const one = floor.take(async () => {
    order.push('one begins');
    await first.promise;
    order.push('one ends');
    return 1;
  });
  const two = floor.take(async () => {
    order.push('two');
    throw new Error('broken');
  });
  await Promise.resolve();
  expect(floor.isTaken).toBe(true);
  first.resolve();
  expect(await one).toBe(1);
  await expect(two).rejects.toThrow('broken');
  expect(order).toEqual(['one begins', 'one ends', 'two', 'free']);
  expect(floor.isTaken).toBe(false);
  end();
  await floor.take(async () => {});
  expect(order).toHaveLength(4);
});
