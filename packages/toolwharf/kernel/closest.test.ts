import { expect, test } from 'vitest';
import { closest } from './closest.ts';

const keys = ['command', 'args', 'env', 'timeout', 'retryAttempts', 'maxConcurrent'];

test.each([
  ['comand', 'command'],
  ['Timeout', 'timeout'],
  ['retry_atempts', 'retryAttempts'],
  ['max-concurrent', 'maxConcurrent'],
  ['arg', 'args'],
])('the closest key to %s is %s', (word, expected) => {
  expect(closest(word, keys)).toBe(expected);
});

test.each(['colour', 'x', '', 'e'.repeat(70)])('no key is close to %s', (word) => {
  expect(closest(word, keys)).toBeUndefined();
});
