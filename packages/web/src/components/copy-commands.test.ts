import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { shellQuote, toCliCommand, toCurlCommand, toPython, toTypeScript } from './copy-commands.ts';

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

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  const programs = [
    ['TypeScript', true, process.execPath, ['--input-type=module', '--eval'], toTypeScript],
    ['Python', hasPython, 'python3', ['-c'], toPython],
  ] as const;
  for (const [language, isInstalled, command, flags, toProgram] of programs)
    test.runIf(isInstalled)(`the ${language} program makes the call and prints the result or the error`, async () => {
      const requests: unknown[] = [];
      const server = createServer(async (request, response) => {
        const { url, headers } = request;
        requests.push([url, headers.authorization, JSON.parse(await text(request))]);
        if (requests.length > 1) response.writeHead(400);
        const result = requests.length > 1 ? { error: { message: 'It is not allowed' } } : { text: 'Grüße' };
        response.end(JSON.stringify(result));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const args = { text: 'it\'s "$HOME" \\ \u2028 ⟨⟩', list: [1, { a: null, b: true }] };
      const env = { ...process.env, TOOLWHARF_API_KEY: 'twk_1', PYTHONIOENCODING: 'utf8' };
      const run = () => promisify(execFile)(command, [...flags, toProgram(origin, 'a/b', args)], { env });
      expect((await run()).stdout.trim()).toBe('Grüße');
      expect((await run()).stdout.trim()).toBe('It is not allowed');
      expect(requests).toEqual(Array(2).fill(['/api/tools/a%2Fb/call', 'Bearer twk_1', { arguments: args }]));
      server.close();
    });
});
