import { expect, test } from 'vitest';
import { createLargeResults } from './large-results.ts';

test('a result is read in pages to its end', () => {
  const results = createLargeResults();
  results.add('a', 'ada', { text: 'hello world' }, 22);
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

test('the oldest result is deleted at the limit, and a result above the limit is not stored', () => {
  const results = createLargeResults({ limits: () => ({ total: 30, perCaller: 30 }) });
  results.add('a', 'ada', { a: 'x'.repeat(10) }, 18);
  results.add('b', 'ada', { b: 'y'.repeat(10) }, 18);
  expect(results.page('a', 0, 1)).toBeUndefined();
  expect(results.page('b', 0, 1)).toBeDefined();
  results.add('c', 'ada', { c: 'z'.repeat(100) }, 108);
  expect(results.page('c', 0, 1)).toBeUndefined();
});

test('results of a caller with many do not displace those of another', () => {
  const results = createLargeResults({ limits: () => ({ total: 100, perCaller: 70 }) });
  results.add('bob', 'bob', { a: 'x'.repeat(10) }, 18);
  for (let n = 0; n < 20; n++) results.add(`flood-${n}`, 'flood', { a: 'x'.repeat(20) }, 28);
  expect(results.page('bob', 0, 1)).toBeDefined();
  expect(results.page('flood-18', 0, 1)).toBeDefined();
  expect(results.page('flood-10', 0, 1)).toBeUndefined();
  results.add('ada', 'ada', { a: 'x'.repeat(40) }, 48);
  expect(results.page('bob', 0, 1)).toBeDefined();
});

test('a result is found by its caller only, also after it was read in pages', () => {
  const results = createLargeResults();
  results.add('a', 'ada', { text: 'hello' }, 16);
  expect(results.find('a', 'bob')).toBeUndefined();
  expect(results.find('a', 'ada')).toEqual({ result: { text: 'hello' }, bytes: 16 });
  results.page('a', 0, 1);
  expect(results.find('a', 'ada')).toEqual({ result: { text: 'hello' }, bytes: 16 });
});

test('a result expires', () => {
  let now = 0;
  const results = createLargeResults({ maxAgeMs: 100, clock: { now: () => now } });
  results.add('a', 'ada', { a: 1 }, 8);
  now = 99;
  expect(results.find('a', 'ada')).toBeDefined();
  now = 100;
  expect(results.find('a', 'ada')).toBeUndefined();
  expect(results.page('a', 0, 1)).toBeUndefined();
});

test('a result that is stored twice counts once', () => {
  const results = createLargeResults({ limits: () => ({ total: 30, perCaller: 30 }) });
  results.add('a', 'ada', { a: 1 }, 20);
  results.add('a', 'ada', { a: 2 }, 20);
  expect(results.find('a', 'ada')?.result).toEqual({ a: 2 });
});
