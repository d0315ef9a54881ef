import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('so many may come at once; then the rest waits for its turn', async () => {
  const pace = createPace({ burst: 3, perSecond: 1_000 });
  for (let count = 0; count < 3; count++) {
    expect(pace.isSpent()).toBe(false);
    pace.note();
  }
  for (let count = 0; count < 30; count++) pace.note();
  expect(pace.isSpent()).toBe(true);
  const from = performance.now();
  await pace.turn();
  // 30 too many at 1 000 a second.
  expect(performance.now() - from).toBeGreaterThan(20);
  expect(pace.isSpent()).toBe(false);
});
