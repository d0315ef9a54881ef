import { expect, test } from 'vitest';
import { mapInSlices, stringifyInSlices } from './slices.ts';

test('other work runs between the slices of a long map', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const doubled = await mapInSlices(Array(1_000).keys(), (number) => number * 2, { maxSteps: 100 });
  clearImmediate(timer);
  expect(doubled).toEqual(Array.from({ length: 1_000 }, (_, number) => number * 2));
  expect(turns).toBeGreaterThanOrEqual(9);
});

test('long lists are serialized in slices to the same JSON', async () => {
  const items = Array.from({ length: 3_000 }, (_, at) => ({ at, text: 'ü', none: undefined }));
  for (const value of [{ items, more: 1, left: undefined }, { more: [1], items }, {}, { items: [undefined, ...items] }])
    expect((await stringifyInSlices(value)).toString()).toBe(JSON.stringify(value));
});
