import { expect, test } from 'vitest';
import { createSwitchedOff, createTrusted, isGlob, patternProblem, toPattern } from './tool-patterns.ts';

const tool = (originalName: string, server?: string) => ({
  name: `mcp_${server}_${originalName}`,
  originalName,
  ...(server !== undefined && { server }),
});

test('the pattern of a tool means that tool alone, whatever it is called', () => {
  for (const name of ['read', 'a*b', 'what?', '[set]', '{a,b}', '!no', 'back\\slash']) {
    const isOff = createSwitchedOff([toPattern(tool(name, 'files'))]);
    expect([name, isOff(tool(name, 'files'))]).toEqual([name, true]);
    expect(isOff(tool('axb', 'files'))).toBe(false);
    expect(isOff(tool(name, 'other'))).toBe(false);
  }
});

test('a tool of no server goes by the server "local"', () => {
  expect(toPattern(tool('clock'))).toBe('local/clock');
  expect(createSwitchedOff(['local/*'])(tool('clock'))).toBe(true);
});

test('trust goes by server and tool where the pattern has a slash, by the name for models where not', () => {
  expect(createTrusted('files/read*')(tool('read_file', 'files'))).toBe(true);
  expect(createTrusted('mcp_files_*')(tool('read_file', 'files'))).toBe(true);
  expect(createTrusted('read*')(tool('read_file', 'files'))).toBe(false);
});

test('what can not be a pattern is told, and means nothing', () => {
  expect(patternProblem('files/*')).toBeUndefined();
  expect(patternProblem('!files/*')).toContain('starts with "!"');
  expect(createSwitchedOff(['!files/*', 'files/read'])(tool('read', 'files'))).toBe(true);
});

test('only unescaped signs make a glob', () => {
  expect(['files/*', 'files/?', 'files/[ab]', 'files/{a,b}'].map(isGlob)).toEqual([true, true, true, true]);
  expect(['files/read', 'files/a\\*b', toPattern(tool('{a,b}*', 'files'))].map(isGlob)).toEqual([false, false, false]);
});
