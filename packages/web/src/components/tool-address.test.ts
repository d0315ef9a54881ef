import { describe, expect, test } from 'vitest';
import { readArguments, readTool, toolAddress } from './tool-address.ts';

describe('the address of a tool', () => {
  test.each(['mcp_files_read', 'a/b.c d%25?#ü', 'x.json', '.hidden', '%2F'])(
    'the address of %j is read back as the same name',
    (name) => {
      const { pathname } = new URL(toolAddress(name), 'http://127.0.0.1');
      expect(readTool(pathname)).toBe(name);
      // The gateway takes a path with a dot for a file.
      expect(pathname.slice('/tools/'.length)).not.toMatch(/\./);
    },
  );

  test('the address of a tool carries arguments', () => {
    const args = { text: 'a&b=c#d', list: [1, null] };
    const { search } = new URL(toolAddress('t', args), 'http://127.0.0.1');
    expect(readArguments(search)).toEqual(args);
  });

  test('other addresses name no tool and carry no arguments', () => {
    expect(readTool('/tools')).toBeUndefined();
    expect(readTool('/servers/a')).toBeUndefined();
    expect(readTool('/tools/%E0%A4%A')).toBe('%E0%A4%A');
    expect(readArguments('?arguments=[1]')).toBeUndefined();
    expect(readArguments('?arguments={broken')).toBeUndefined();
    expect(readArguments('')).toBeUndefined();
  });
});
