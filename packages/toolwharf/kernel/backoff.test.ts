import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('delays double up to the cap, with jitter over their second half', () => {
  expect([1, 2, 3, 4].map((failures) => backoffMs(failures, { random: () => 1 }))).toEqual([250, 500, 1_000, 2_000]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (failures) => {
      const [low, high] = [backoffMs(failures, { random: () => 0 }), backoffMs(failures, { random: () => 1 })];
      expect(high).toBeLessThanOrEqual(30_000);
      expect(low).toBe(Math.round(high / 2));
    }),
  );
});
