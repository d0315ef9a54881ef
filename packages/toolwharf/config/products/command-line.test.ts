import { expect, test } from 'vitest';
import { nameOfProgram, splitCommandLine, toProgram } from './command-line.ts';

test.each([
  ['uvx mcp-server-git', ['uvx', 'mcp-server-git']],
  [`a "b c" 'd "e"' f\\ g`, ['a', 'b c', 'd "e"', 'f g']],
  [`--x="a \\"b\\"" ''`, ['--x=a "b"', '']],
  ['  ', []],
  ['a "b', undefined],
])('%s is split into words like a shell does', (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});

test.each(['a | b', 'TOKEN=x a', 'a $HOME', 'a "$(b)"', 'cd x && a', 'a "b'])('%s is run by a shell', (line) => {
  expect(toProgram(line)).toEqual({ command: 'sh', args: ['-c', line] });
});

test('a variable in single quotes needs no shell', () => {
  expect(toProgram("a '$HOME'")).toEqual({ command: 'a', args: ['$HOME'] });
});

test.each([
  [['npx', '-y', '@modelcontextprotocol/server-git@1.0'], 'git'],
  [['uvx', 'mcp-server-fetch'], 'fetch'],
  [['uv', 'tool', 'run', 'thing'], 'thing'],
  [['/usr/bin/my-server.js', '--x'], 'my-server'],
  [['https://api.example.com/mcp'], 'api'],
  [['https://'], 'server'],
  [[], 'server'],
])('the server of %j is named %s', (words, name) => {
  expect(nameOfProgram(words)).toBe(name);
});
