import { describe, expect, test } from 'vitest';
import { looksLikeJson, readDocument } from './read-document.ts';

const messages = (text: string, json = false) =>
  readDocument(text, { json }).problems.map((problem) => problem.message);

describe('reading a document', () => {
  test('the document reader gives values, keys and missing keys a line and a column', () => {
    const document = readDocument('servers:\n  github:\n    command: npx\n    args: [a, b]\n');
    expect(document.value).toEqual({ servers: { github: { command: 'npx', args: ['a', 'b'] } } });
    expect(document.locate(['servers', 'github', 'command'])).toEqual({ line: 3, column: 14 });
    expect(document.locate(['servers', 'github', 'command'], true)).toEqual({ line: 3, column: 5 });
    expect(document.locate(['servers', 'github', 'args', 1])).toEqual({ line: 4, column: 15 });
    expect(document.locate(['servers', 'github', 'url'])).toEqual({ line: 2, column: 3 });
    expect(document.locate(['servers', 'github', 'command', 'deeper'])).toEqual({ line: 3, column: 14 });
    expect(document.locate([])).toEqual({ line: 1, column: 1 });
    expect(document.locate(['toolbox'])).toEqual({ line: 1, column: 1 });
  });

  test('the document reader reads JSON with tabs, comments and trailing commas with correct positions', () => {
    const text = '{\n\t// a "comment"\n\t"a": "http://x/*y*/", /* two\n lines */\n\t"b": ["\\"//\\"", 2,],\n}';
    const document = readDocument(text, { json: true });
    expect(document.problems).toEqual([]);
    expect(document.value).toEqual({ a: 'http://x/*y*/', b: ['"//"', 2] });
    expect(document.locate(['b', 1])).toEqual({ line: 5, column: 18 });
  });

  test('the document reader reads merged maps and anchors', () => {
    const document = readDocument('base: &base {a: 1}\nother:\n  <<: *base\n  b: 2\n');
    expect(document.value).toEqual({ base: { a: 1 }, other: { a: 1, b: 2 } });
    expect(document.locate(['other', 'a'])).toEqual({ line: 2, column: 1 });
  });

  test('the document reader reports duplicate keys in YAML and JSON with both positions', () => {
    expect(readDocument('a: 1\nb: 2\na: 3\n').problems).toEqual([
      { line: 3, column: 1, message: "duplicate key 'a', first at line 1" },
    ]);
    expect(messages('{"x": {"a": 1, "a": 2}}', true)).toEqual(["duplicate key 'a', first at line 1"]);
  });

  test.each([
    ['a: [1, 2', /not valid YAML or JSON/],
    ['a: "open', /missing closing/],
    ['a:\n\tb: 1', /tabs are not allowed/],
    ['a: !secret x', /unknown tag/],
    ['a: 1\n---\nb: 2', /more than one document/],
    ['? [a, b]\n: c', /key must be plain text/],
  ])('the document reader reports %j as one clear problem', (text, message) => {
    expect(messages(text)[0]).toMatch(message);
    expect(readDocument(text).value).toBeUndefined();
  });

  test('the document reader reports a document nested thousands of levels deep as one clear problem', () => {
    expect(messages('['.repeat(40_000))).toEqual(['is nested too deeply']);
  });

  test('the document reader rejects an alias bomb', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(', ')}]\n`;
    const bomb = level('a', 'x') + ['b', 'c', 'd', 'e', 'f'].map((n, i) => level(n, `*${'abcdef'[i]}`)).join('');
    expect(messages(bomb)).toEqual(['aliases expand to too much']);
  });

  test.each([
    'password: *hunter2',
    'password: "hunter2',
    'password: !hunter2 x',
    'password: [hunter2',
    'a: |hunter2\n  x',
  ])('the document reader does not repeat a possible secret in the problem of %j', (text) => {
    expect(messages(text)).not.toHaveLength(0);
    expect(messages(text).join()).not.toContain('hunter2');
  });

  test('the document reader recognizes JSON by its first characters, unless the file extension is YAML', () => {
    expect(looksLikeJson('{"a": 1}', 'a.json')).toBe(true);
    expect(looksLikeJson(' // x\n{}', '.mcp.json')).toBe(true);
    expect(looksLikeJson('a: 1', 'a.json')).toBe(false);
    expect(looksLikeJson('{url: http://x}', 'a.yaml')).toBe(false);
  });
});
