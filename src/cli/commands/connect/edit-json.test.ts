import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonEditError, setInJson } from './edit-json.ts';

const path = ['mcpServers', 'toolwharf'] as const;
const entry = { type: 'http', url: 'http://127.0.0.1:7420/mcp' };
const set = (text: string) => setInJson(text, path, entry);

describe('setting a value in JSON', () => {
  test('creates missing objects', () => {
    const made = `{
  "mcpServers": {
    "toolwharf": {
      "type": "http",
      "url": "http://127.0.0.1:7420/mcp"
    }
  }
}
`;
    expect(set('')).toBe(made);
    expect(set('  \n')).toBe(made);
    expect(set('{}\n')).toBe(made);
    expect(set('{\n}\n')).toBe(made);
  });

  test('keeps comments, order, indentation and trailing commas', () => {
    const before = `// My settings
{
\t"theme": "dark", /* not light */
\t"mcpServers": {
\t\t// the first
\t\t"b": { "command": "x" }, // why
\t\t"a": {
\t\t\t"command": "y",
\t\t}, // the last
\t\t// to come
\t},
\t"z": [1, 2,],
}`;
    expect(set(before)).toBe(
      before.replace(
        '// to come\n',
        '// to come\n\t\t"toolwharf": {\n\t\t\t"type": "http",\n\t\t\t"url": "http://127.0.0.1:7420/mcp"\n\t\t}\n',
      ),
    );
  });

  test('puts the comma before a comment after the last value', () => {
    expect(set('{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}\n')).toBe(
      '{\n  "mcpServers": {\n    "a": {}, // mine\n    "toolwharf": {\n      "type": "http",\n      "url": "http://127.0.0.1:7420/mcp"\n    }\n  }\n}\n',
    );
  });

  test('replaces only the value, of the last member with that key', () => {
    const before = '{"mcpServers": {"toolwharf": 1, "a": {}, "toolwharf": {"old": [true, null, -1.5e3]} /* x */}}';
    expect(set(before)).toBe(
      `{"mcpServers": {"toolwharf": 1, "a": {}, "toolwharf": ${JSON.stringify(entry, null, '  ')} /* x */}}`,
    );
    expect(set(set(before))).toBe(set(before));
  });

  test('keeps line ends and the byte order mark', () => {
    const edited = set('\ufeff{\r\n  "a": 1\r\n}\r\n');
    expect(edited.startsWith('\ufeff{\r\n  "a": 1,\r\n  "mcpServers": {\r\n')).toBe(true);
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('ignores braces and comments inside strings', () => {
    const before = '{"a": "}, \\"mcpServers\\": { // \\\\", "mcpServers": {}}';
    expect(JSON.parse(set(before))).toEqual({ ...JSON.parse(before), mcpServers: { toolwharf: entry } });
  });

  test.each([
    ['[]', 'line 1, column 1: expected an object'],
    ['{\n  "a" 1}', "line 2, column 7: expected ':'"],
    ['{"a": 1 "b": 2}', "expected ',' or '}'"],
    ['{"a": nope}', 'expected a value'],
    ['{"mcpServers": []}', "'mcpServers' must be an object"],
    ['{"a": 1', 'expected'],
    ['{} {}', 'line 1, column 4: expected the end of the file'],
    ["{'a': 1}", 'expected a string in double quotes'],
  ])('rejects %j', (text, message) => {
    expect(() => set(text)).toThrow(JsonEditError);
    expect(() => set(text)).toThrow(message);
  });

  test('sets the value in any JSON object and keeps the rest', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => !Object.hasOwn(value, '__proto__'));
    const spacing = fc.constantFrom(undefined, 2, '\t');
    fc.assert(
      fc.property(object, fc.dictionary(fc.string(), fc.jsonValue()), spacing, (rest, servers, space) => {
        const before = { ...rest, mcpServers: { ...servers, ok: 1 } };
        const after = JSON.parse(set(JSON.stringify(before, null, space)));
        expect(after).toEqual(
          JSON.parse(JSON.stringify({ ...before, mcpServers: { ...before.mcpServers, toolwharf: entry } })),
        );
      }),
    );
  });
});
