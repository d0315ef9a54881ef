import { expect, test } from 'vitest';
import { registryName } from './registry-name.ts';

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
])('%j is called %j here', (name, called) => {
  expect(registryName(name, [])).toBe(called);
});

test('a name that a server has already gets a number', () => {
  expect(registryName('io.github.ada/weather', ['weather'])).toBe('weather-2');
  expect(registryName('jp.example/天気', ['server', 'server-2'])).toBe('server-3');
});
