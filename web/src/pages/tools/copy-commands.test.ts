import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { shellQuote, toCliCommand, toCurlCommand } from './copy-commands.ts';

describe('commands to copy [R11]', () => {
  test.each([
    'plain',
    "it's",
    '$(rm -rf ~)',
    '`id`',
    'a "b" \\ c',
    'new\nline',
    '!history',
    '',
    "'''",
    '-x; ls',
    'ümläut ⟨⟩',
  ])('a real shell reads %j as one word', (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(word);
  });

  test('the CLI command carries the tool and its arguments unchanged', () => {
    const args = { text: "it's $HOME", list: [1, { a: null }] };
    const shell = `toolwharf() { printf '%s\\n' "$@"; }; ${toCliCommand('mcp_files_echo', args)}`;
    expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).split('\n')).toEqual([
      'call',
      'mcp_files_echo',
      '--args',
      JSON.stringify(args),
      '',
    ]);
    expect(toCliCommand('mcp_files_echo', {})).toBe('toolwharf call mcp_files_echo');
  });

  test('the curl command carries the URL and the body unchanged and reads the key from the environment', () => {
    const command = toCurlCommand('http://127.0.0.1:7420', 'a/b', { text: "it's" });
    const shell = `curl() { printf '%s\\n' "$@"; }; ${command}`;
    const env = { ...process.env, TOOLWHARF_API_KEY: 'twk_1' };
    expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8', env }).trim().split('\n')).toEqual([
      '-s',
      'http://127.0.0.1:7420/api/tools/a%2Fb/call',
      '-H',
      'authorization: Bearer twk_1',
      '-H',
      'content-type: application/json',
      '-d',
      JSON.stringify({ arguments: { text: "it's" } }),
    ]);
  });
});
