import { describe, expect, test } from 'vitest';
import { argumentsIn, toolAddress, toolIn } from './tool-address.ts';

describe('the address of a tool', () => {
  test.each(['mcp_files_read', 'a/b.c d%25?#ü', 'x.json', '.hidden', '%2F'])('leads back to %j', (name) => {
    const { pathname } = new URL(toolAddress(name), 'http://127.0.0.1');
    expect(toolIn(pathname)).toBe(name);
    // What looks like a file is looked for among the files.
    expect(pathname.slice('/tools/'.length)).not.toMatch(/\./);
  });

  test('carries arguments', () => {
    const args = { text: 'a&b=c#d', list: [1, null] };
    const { search } = new URL(toolAddress('t', args), 'http://127.0.0.1');
    expect(argumentsIn(search)).toEqual(args);
  });

  test('of anything else names nothing', () => {
    expect(toolIn('/tools')).toBeUndefined();
    expect(toolIn('/servers/a')).toBeUndefined();
    expect(toolIn('/tools/%E0%A4%A')).toBe('%E0%A4%A');
    expect(argumentsIn('?arguments=[1]')).toBeUndefined();
    expect(argumentsIn('?arguments={broken')).toBeUndefined();
    expect(argumentsIn('')).toBeUndefined();
  });
});
