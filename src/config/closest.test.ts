import { describe, expect, test } from 'vitest';
import { closest } from './closest.ts';

describe('closest', () => {
  const keys = ['command', 'args', 'env', 'timeout', 'retryAttempts', 'maxConcurrent'];

  test.each([
    ['comand', 'command'],
    ['Timeout', 'timeout'],
    ['retry_atempts', 'retryAttempts'],
    ['max-concurrent', 'maxConcurrent'],
    ['arg', 'args'],
  ])('%s was probably meant to be %s', (word, meant) => {
    expect(closest(word, keys)).toBe(meant);
  });

  test.each(['colour', 'x', '', 'e'.repeat(70)])('%s is near nothing', (word) => {
    expect(closest(word, keys)).toBeUndefined();
  });
});
