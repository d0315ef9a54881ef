import { expect, test } from 'vitest';
import { importServers } from './import-servers.ts';

const entry = '  one: { command: npx }\n';

test('a configuration of 64 KiB is imported, and a longer one is refused without being parsed', () => {
  const text = `mcpServers:\n${entry}`;
  expect(importServers(text.padEnd(64 * 1024, '\n'))).toMatchObject({ servers: [{ name: 'one' }], problems: [] });
  expect(importServers(text.padEnd(64 * 1024 + 1, '\n'))).toEqual({
    servers: [],
    problems: [{ message: 'The configuration is longer than 64 KiB: import fewer servers at a time' }],
  });
});
