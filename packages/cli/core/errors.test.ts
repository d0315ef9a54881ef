import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodeFor, exitCodeHelp, exitCodes } from './errors.ts';

test('--help and the reference document every exit code in the same words', () => {
  const reference = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');
  const inHelp = [...exitCodeHelp.matchAll(/^ {2}(\d+) +(.+)$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  const inReference = [...reference.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [
    Number(code),
    meaning,
  ]);
  expect(inHelp.map(([code]) => code)).toEqual(Object.values(exitCodes));
  expect(inReference).toEqual(inHelp);
});

test('an error without a specific exit code exits with 1', () => {
  expect(exitCodeFor('CALL_DENIED')).toBe(exitCodes.denied);
  expect(exitCodeFor('QUEUE_FULL')).toBe(exitCodes.problem);
  expect(exitCodeFor('toString')).toBe(exitCodes.problem);
});
