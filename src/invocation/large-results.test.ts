import { expect, test } from 'vitest';
import { createLargeResults } from './large-results.ts';

test('a result is read in pages to its end', () => {
  const results = createLargeResults();
  results.add('a', { text: 'hello world' });
  const whole = JSON.stringify({ text: 'hello world' });
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = results.page('a', offset, 5);
    text += page?.text;
    offset = page?.nextOffset;
  }
  expect(text).toBe(whole);
  expect(results.page('unknown', 0, 5)).toBeUndefined();
});

test('the oldest result is removed when the limit is reached, and a result above the limit is not stored', () => {
  const results = createLargeResults({ maxLength: 30 });
  results.add('a', { a: 'x'.repeat(10) });
  results.add('b', { b: 'y'.repeat(10) });
  expect(results.page('a', 0, 1)).toBeUndefined();
  expect(results.page('b', 0, 1)).toBeDefined();
  results.add('c', { c: 'z'.repeat(100) });
  expect(results.page('c', 0, 1)).toBeUndefined();
});
