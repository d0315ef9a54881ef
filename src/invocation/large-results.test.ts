import { expect, test } from 'vitest';
import { createLargeResults } from './large-results.ts';

test('a result is read in pages to its end', () => {
  const kept = createLargeResults();
  kept.add('a', { text: 'hello world' });
  const whole = JSON.stringify({ text: 'hello world' });
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = kept.page('a', offset, 5);
    text += page?.text;
    offset = page?.nextOffset;
  }
  expect(text).toBe(whole);
  expect(kept.page('unknown', 0, 5)).toBeUndefined();
});

test('the oldest result is removed when the limit is reached, and a result above the limit is not kept', () => {
  const kept = createLargeResults({ maxLength: 30 });
  kept.add('a', { a: 'x'.repeat(10) });
  kept.add('b', { b: 'y'.repeat(10) });
  expect(kept.page('a', 0, 1)).toBeUndefined();
  expect(kept.page('b', 0, 1)).toBeDefined();
  kept.add('c', { c: 'z'.repeat(100) });
  expect(kept.page('c', 0, 1)).toBeUndefined();
});
