import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { setInToml } from './edit-toml.ts';

const entry = { url: 'http://127.0.0.1:7420/mcp' };
const set = (text: string, value: object = entry) => setInToml(text, ['mcp_servers', 'toolwharf'], value);

describe('a table in a TOML file', () => {
  test('a new table is appended, and every other line stays', () => {
    const before = '# mine\nmodel = "o5"  # fast\n\n[mcp_servers.other]\ncommand = "x"\n';
    expect(set(before)).toBe(`${before}\n[mcp_servers.toolwharf]\nurl = "http://127.0.0.1:7420/mcp"\n`);
    expect(set('')).toBe('[mcp_servers.toolwharf]\nurl = "http://127.0.0.1:7420/mcp"\n');
  });

  test('an existing table is replaced with the tables in it, and comments of the next table stay', () => {
    const before = [
      '[mcp_servers.toolwharf]',
      'command = "old"',
      '[mcp_servers."toolwharf".env]',
      'A = "b"',
      '',
      '# the next one',
      '[tools]',
      'x = 1',
      '',
    ].join('\n');
    expect(set(before)).toBe(
      '\n# the next one\n[tools]\nx = 1\n\n[mcp_servers.toolwharf]\nurl = "http://127.0.0.1:7420/mcp"\n',
    );
  });

  test('an equal table leaves the text as it is, however it is written', () => {
    const before = 'mcp_servers = { toolwharf = { url = "http://127.0.0.1:7420/mcp" } }';
    expect(set(before)).toBe(before);
  });

  test('texts with quotes, backslashes and line breaks are read back as they are', () => {
    const value = { command: 'C:\\bin\\"x"', args: ['a\nb', '\u007f', 'ü'], 'a.b': { 'c d': 'e' } };
    expect(parse(set('', value))).toEqual({ mcp_servers: { toolwharf: value } });
  });

  test.each([
    ['mcp_servers = { toolwharf = { url = "x" } }', 'a form that cannot be replaced'],
    ['mcp_servers = 5', "'mcp_servers' must be a table"],
    ['a = 1\nb = \n', 'line 2, column'],
    ['a = """\n[mcp_servers.toolwharf]\n"""\n', 'a form that cannot be replaced'],
  ])('the file %j is rejected', (text, message) => {
    expect(() => set(text)).toThrow(message);
  });
});
