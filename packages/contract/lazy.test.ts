import { expect, test } from 'vitest';
import { lazy } from './lazy.ts';

test('a lazy value is created by its first use, and only once', () => {
  let created = 0;
  const value = lazy(() => ({ number: ++created }));
  expect(created).toBe(0);
  expect(value()).toEqual({ number: 1 });
  expect(value()).toBe(value());
  expect(created).toBe(1);
});

test('a lazy value whose creation failed is created by the next use', () => {
  let fails = true;
  const value = lazy(() => {
    if (fails) throw new Error('not yet');
    return {};
  });
  expect(value).toThrow('not yet');
  fails = false;
  expect(value()).toEqual({});
});
