import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newLines } from './logs.ts';

test.each<[string[], string[], string[]]>([
  [[], ['a'], ['a']],
  [['a'], ['a'], []],
  [['a', 'b'], ['a', 'b', 'c'], ['c']],
  [['a', 'b', 'c'], ['c', 'd'], ['d']],
  [
    ['a', 'b'],
    ['x', 'y'],
    ['x', 'y'],
  ],
  [['a'], [], []],
])('after polling %j and then %j, only %j is printed', (before, now, fresh) => {
  expect(newLines(before, now)).toEqual(fresh);
});

test('every line is printed exactly once, however few lines the gateway keeps', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 }),
      (kept, steps) => {
        const all: string[] = [];
        const told: string[] = [];
        let seen: readonly string[] = [];
        for (const step of steps) {
          for (let added = 0; added < Math.min(step, kept); added++) all.push(`line ${all.length}`);
          const now = all.slice(-kept);
          told.push(...newLines(seen, now));
          seen = now;
        }
        expect(told).toEqual(all);
      },
    ),
  );
});
