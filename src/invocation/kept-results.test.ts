import { expect, test } from 'vitest';
import { createKeptResults } from './kept-results.ts';

test('a result is read in pages to its end', () => {
  const kept = createKeptResults();
  kept.keep('a', { text: 'hello world' });
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

test('the oldest goes when space runs out, and what is too big is not kept at all', () => {
  const kept = createKeptResults({ maxLength: 30 });
  kept.keep('a', { a: 'x'.repeat(10) });
  kept.keep('b', { b: 'y'.repeat(10) });
  expect(kept.page('a', 0, 1)).toBeUndefined();
  expect(kept.page('b', 0, 1)).toBeDefined();
  kept.keep('c', { c: 'z'.repeat(100) });
  expect(kept.page('c', 0, 1)).toBeUndefined();
});
