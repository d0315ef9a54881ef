import { expect, test } from 'vitest';
import type { Progress } from '../kernel/tool.ts';
import { tellWaiting } from './tell-waiting.ts';

test('it tells at once, then again with growing numbers, and stops when disposed', async () => {
  const told: Progress[] = [];
  {
    using _telling = tellWaiting((progress) => told.push(progress), 5);
    expect(told).toEqual([{ progress: 0, message: 'Waiting for approval' }]);
    await expect.poll(() => told.length).toBeGreaterThan(2);
  }
  const count = told.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(told).toHaveLength(count);
  const numbers = told.map(({ progress }) => progress);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

test('where nobody listens nothing happens', () => {
  using _telling = tellWaiting(undefined, 5);
});
