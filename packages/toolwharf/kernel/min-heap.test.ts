import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMinHeap } from './min-heap.ts';

test('entries are popped in the order of their keys', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(1000)), { maxLength: 200 }), (steps) => {
      const heap = createMinHeap<number>();
      const expected: number[] = [];
      for (const step of steps) {
        if (step === null) {
          expected.sort((a, b) => a - b);
          expect(heap.pop()?.key).toBe(expected.shift());
        } else {
          heap.push(step, step);
          expected.push(step);
        }
      }
      for (const key of expected.sort((a, b) => a - b)) expect(heap.pop()).toEqual({ key, value: key });
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
