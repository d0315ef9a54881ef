import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSoonest } from './soonest.ts';

test('what has the lowest order comes first, however it was added and taken', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(1000)), { maxLength: 200 }), (steps) => {
      const soonest = createSoonest<number>();
      const expected: number[] = [];
      for (const step of steps) {
        if (step === null) {
          expected.sort((a, b) => a - b);
          expect(soonest.take()?.order).toBe(expected.shift());
        } else {
          soonest.add(step, step);
          expected.push(step);
        }
      }
      for (const order of expected.sort((a, b) => a - b)) expect(soonest.take()).toEqual({ order, value: order });
      expect(soonest.take()).toBeUndefined();
    }),
  );
});
