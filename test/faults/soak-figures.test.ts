import { expect, test } from 'vitest';
import { growthOf, longestOf } from './support/soak-figures.ts';

const samples = (memoryMb: (at: number) => number, handles: (at: number) => number = () => 50) =>
  Array.from({ length: 100 }, (_, at) => ({ liveMb: memoryMb(at), memoryMb: 200, handles: handles(at), processes: 5 }));

test('noise and single peaks do not count as growth', () => {
  const growth = growthOf(samples((at) => (at % 10 === 0 ? 900 : 200 + (at % 7))));
  expect(growth.map(({ what, ok }) => [what, ok])).toEqual([
    ['liveMb', true],
    ['memoryMb', true],
    ['handles', true],
    ['processes', true],
  ]);
});

test('a steady rise counts as growth', () => {
  const growth = growthOf(
    samples(
      (at) => 200 + at * 2,
      (at) => 50 + at,
    ),
  );
  expect(growth.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(['liveMb', 'handles']);
});

test('growth is measured on the process that lived longest', () => {
  const steady = samples(() => 200);
  const growing = samples((at) => 200 + at * 2).slice(0, 50);
  expect(longestOf([growing, steady, growing.slice(0, 3)])).toBe(steady);
  expect(longestOf([])).toEqual([]);
});
