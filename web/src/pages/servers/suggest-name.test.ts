import { expect, test } from 'vitest';
import { newLine, toDraft } from './server-draft.ts';
import { suggestName } from './suggest-name.ts';

test.each([
  ['https://mcp.notion.com/mcp', 'notion'],
  ['https://api.githubcopilot.com/mcp/', 'githubcopilot'],
  ['http://127.0.0.1:3000/mcp', 'local-3000'],
  ['http://localhost/mcp', 'local-server'],
  ['https://mcp.dev', 'mcp-dev'],
  ['https://tools', 'tools'],
  ['javascript:alert(1)', ''],
  ['not an address', ''],
  ['', ''],
])('the address %s suggests the name %j', (url, name) => {
  expect(suggestName({ ...toDraft(), url }, [])).toBe(name);
});

test.each([
  ['npx', ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'], 'filesystem'],
  ['npx', ['-y', '@playwright/mcp@latest'], 'playwright'],
  ['uvx', ['mcp-server-git'], 'git'],
  ['/usr/bin/node', ['/srv/weather.mjs'], 'weather'],
  ['uv', ['run', 'time-mcp'], 'time'],
  ['C:\\Tools\\notes-server.exe', [], 'notes'],
  ['github-mcp-server', ['stdio'], 'github'],
  ['', [], ''],
])('the program %s %j suggests the name %j', (command, args, name) => {
  const draft = { ...toDraft(), transport: 'stdio' as const, command, args: args.map((arg) => newLine('', arg)) };
  expect(suggestName(draft, [])).toBe(name);
});

test('an API is named by its host as others are [R21]', () => {
  const draft = { ...toDraft(), transport: 'api' as const, url: 'https://api.openweathermap.org/data/2.5' };
  expect(suggestName(draft, [])).toBe('openweathermap');
});

test('a name that is taken gets a number', () => {
  const draft = { ...toDraft(), url: 'https://mcp.notion.com/mcp' };
  expect(suggestName(draft, ['notion'])).toBe('notion-2');
  expect(suggestName(draft, ['notion', 'notion-2'])).toBe('notion-3');
});
