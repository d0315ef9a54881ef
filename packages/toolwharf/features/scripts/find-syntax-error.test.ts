import { expect, test } from 'vitest';
import { findSyntaxError } from './find-syntax-error.ts';

test.each([
  ['JavaScript', 'const a = await tools.s.t({}); a'],
  ['TypeScript', 'const a: string = (await tools.s.t({})) as string; a'],
  ['a return at the top level', 'if (input.x) return 1; 2'],
  ['a comment at the end', '1 // done'],
])('a script with %s has no syntax error', (_, code) => {
  expect(findSyntaxError(code)).toBeUndefined();
});

test.each([
  ['JavaScript', 'const a = 1;\n\nconst b = ;', 'line 3'],
  ['TypeScript', 'const a: string = 1;\nlet b: = 2', 'line 2'],
  ['a second declaration', 'const a = 1;\nconst a = 2', 'line 2'],
])('the error of wrong %s has its line', (_, code, line) => {
  expect(findSyntaxError(code)).toMatchObject({ name: 'SyntaxError', position: expect.stringContaining(line) });
});

test('parsing a script does not run it', () => {
  expect(findSyntaxError('}); globalThis.wasRun = true; (async () => {')).toBeUndefined();
  expect(globalThis).not.toHaveProperty('wasRun');
});
