import { expect, test } from 'vitest';
import { toFrameHeight } from './frame-height.ts';

test.each([
  [300.2, 301],
  [0, 48],
  [-5, 48],
  [1e9, 720],
  [Number.POSITIVE_INFINITY, undefined],
  [Number.NaN, undefined],
  ['300', undefined],
  [undefined, undefined],
])('an app that asks for the height %s gets %s', (wanted, height) => {
  expect(toFrameHeight(wanted)).toBe(height);
});
