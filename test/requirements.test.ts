import { expect, test } from 'vitest';
import { notBuiltYet, requirements } from './requirements.ts';
import { readPackages, readSources, withoutComments } from './support/imports.ts';

// A title is the string that opens a call with further arguments; `test.each(…)('title', …)` has a table before it.
const title = /\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)\s*,/g;
const citation = /\[((?:[ARMBNO]\d+)(?:,\s*[ARMBNO]\d+)*)\]/g;

const ids = Object.keys(requirements);
const files = [...readPackages(['.test.ts']), ...readSources('test', ['.test.ts'])];
const cited = new Set(
  files.filter(([file]) => file !== 'test/requirements.test.ts').flatMap(([, code]) => citedIn(code)),
);

test('every implemented requirement is cited by a test', () => {
  const unproved = ids.filter((id) => !cited.has(id) && !notBuiltYet.some((other) => other === id));
  expect(unproved).toEqual([]);
});

test('no requirement on the list of unimplemented ones is cited by a test', () => {
  expect(notBuiltYet.filter((id) => cited.has(id))).toEqual([]);
});

test('every id in a test title is a requirement', () => {
  expect([...cited].filter((id) => !ids.includes(id))).toEqual([]);
});

test('no test is skipped, marked as todo or run exclusively', () => {
  const apart = /\b(?:test|it|describe)\.(?:skip|skipIf|runIf|todo|only)\b/;
  expect(files.filter(([, code]) => apart.test(withoutComments(code))).map(([file]) => file)).toEqual([]);
});

test('a test title is a sentence with its own subject, also without the title of its group', () => {
  // The string after `test(`, or after the table of `test.each(…)(`.
  const fragment =
    /(?:\btest\(|\)\()\s*['"`](?:is|are|was|has|have|does|do|can|cannot|may|must|that|rejects|reports)\b.*/g;
  const others = files.filter(([file]) => file !== 'test/requirements.test.ts');
  expect(others.flatMap(([file, code]) => (code.match(fragment) ?? []).map((text) => `${file}: ${text}`))).toEqual([]);
  expect("test('is rejected', () => {});").toMatch(fragment);
});

test('ids are read from the titles of tests and groups, single or in lists, and from nowhere else', () => {
  const code = [
    "test('one [A1]', () => {});",
    "test.each([{ a: '(' }])(`two [A2, B8]`, () => {});",
    "describe(\n  'it\\'s three [M4]',\n  () => {});",
    "// test('four [R1]')",
    "const list = '[R2]';",
  ].join('\n');
  expect(citedIn(code)).toEqual(['A1', 'A2', 'B8', 'M4']);
});

function citedIn(code: string): string[] {
  return [...withoutComments(code).matchAll(title)]
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .flatMap((text) => [...text.matchAll(citation)])
    .flatMap(([, list = '']) => list.split(',').map((id) => id.trim()));
}
