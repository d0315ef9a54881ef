import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileEditError, setInJson } from './edit-json.ts';

const path = ['mcpServers', 'toolwharf'] as const;
const entry = { type: 'http', url: 'http://127.0.0.1:7420/mcp' };
const set = (text: string) => setInJson(text, path, entry);

describe('setting a value in JSON', () => {
  test('setting a value creates missing objects', () => {
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

  test('setting a value keeps comments, order, indentation and trailing commas', () => {
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
        '// the first',
        '"toolwharf": {\n\t\t\t"type": "http",\n\t\t\t"url": "http://127.0.0.1:7420/mcp"\n\t\t},\n\t\t// the first',
      ),
    );
  });

  test('a comment after the last value stays beside that value', () => {
    expect(set('{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}\n')).toContain('    "a": {} // mine\n  }\n}\n');
  });

  test('setting an existing member replaces only its value', () => {
    const before = '{"mcpServers": {"a": {}, "toolwharf": {"old": [true, null, -1.5e3]} /* x */}}';
    const after = set(before);
    expect(after).toMatch(/^\{"mcpServers": \{"a": \{\}, "toolwharf": \{\s+"type"[^}]+\} \/\* x \*\/\}\}$/);
    expect(set(after)).toBe(after);
  });

  test('setting a value keeps line ends and the byte order mark', () => {
    const edited = set('\ufeff{\r\n  "a": 1\r\n}\r\n');
    expect(edited.startsWith('\ufeff{\r\n  "mcpServers": {\r\n')).toBe(true);
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('braces and comments inside strings are ignored', () => {
    const before = '{"a": "}, \\"mcpServers\\": { // \\\\", "mcpServers": {}}';
    expect(JSON.parse(set(before))).toEqual({ ...JSON.parse(before), mcpServers: { toolwharf: entry } });
  });

  test.each([
    ['[]', 'line 1, column 1: the file must be an object'],
    ['{\n  "a" 1}', 'line 2, column 7: colon expected'],
    ['{"a": 1 "b": 2}', 'comma expected'],
    ['{"a": nope}', 'invalid symbol'],
    ['{"mcpServers": []}', "'mcpServers' must be an object"],
    ['{"mcpServers": {"toolwharf": 1, "toolwharf": 2}}', "'toolwharf' occurs twice"],
    ['{"a": 1', 'close brace expected'],
    ['{} {}', 'line 1, column 4: end of file expected'],
    ["{'a': 1}", 'line 1, column 2: invalid symbol'],
  ])('setting a value in %j is rejected', (text, message) => {
    expect(() => set(text)).toThrow(FileEditError);
    expect(() => set(text)).toThrow(message);
  });

  test('a value is set in any JSON object, and the rest is kept', () => {
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
