import { expect, test } from 'vitest';
import { freeName, suggestName, suggestRegistryName } from './suggest-name.ts';

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
])('the URL %s suggests the name %j', (url, name) => {
  expect(suggestName({ url }, [])).toBe(name);
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
])('the command %s %j suggests the name %j', (command, args, name) => {
  expect(suggestName({ command, args }, [])).toBe(name);
});

test('an API is named after its host [R21]', () => {
  expect(suggestName({ url: 'https://api.openweathermap.org/data/2.5' }, [])).toBe('openweathermap');
});

test('a taken name gets a number', () => {
  const server = { url: 'https://mcp.notion.com/mcp' };
  expect(suggestName(server, ['notion'])).toBe('notion-2');
  expect(suggestName(server, ['notion', 'notion-2'])).toBe('notion-3');
});

test('a name has only lower-case letters, digits and hyphens', () => {
  expect(freeName(' Über Weather_2!', [])).toBe('ber-weather-2');
  expect(freeName('天気', [])).toBe('');
  expect(freeName('x'.repeat(100), [])).toBe('x'.repeat(40));
});

test('a taken name gets the first free number', () => {
  expect(freeName('weather', ['notes'])).toBe('weather');
  expect(freeName('weather', ['weather', 'weather-2'])).toBe('weather-3');
});

test.each([
  ['io.github.ada/weather', 'weather'],
  ['io.github.ada/Weather_MCP', 'weather-mcp'],
  ['com.notion/mcp', 'notion'],
  ['com.example/mcp-server', 'example'],
  ['mcp', 'mcp'],
  ['/mcp', 'mcp'],
  ['io.github.ada/', 'server'],
  ['jp.example/天気', 'server'],
  ['__proto__', 'proto'],
  ['', 'server'],
])('the registry name %j suggests the name %j', (name, called) => {
  expect(suggestRegistryName(name, [])).toBe(called);
});

test('a taken registry name gets a number', () => {
  expect(suggestRegistryName('io.github.ada/weather', ['weather'])).toBe('weather-2');
  expect(suggestRegistryName('jp.example/天気', ['server', 'server-2'])).toBe('server-3');
});
