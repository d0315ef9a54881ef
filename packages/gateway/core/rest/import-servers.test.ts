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

test('a pasted file of another gateway is imported, and its groups of servers and lost settings are named', () => {
  const files = {
    command: 'npx',
    args: ['-y', 'files'],
    tags: ['work'],
    enabledTools: ['read'],
    disabledPrompts: ['x'],
  };
  const { servers, problems } = importServers(JSON.stringify({ mcpServers: { files } }));
  expect(servers).toEqual([expect.objectContaining({ name: 'files', command: 'npx', allow: ['read'] })]);
  expect(problems).toEqual([
    {
      message:
        "Server 'files': 'disabledPrompts' is not imported, so all prompts of the server are offered: list the prompts to offer under 'prompts' of the server",
    },
    { message: 'Groups of servers are not imported. Create a profile for each: work' },
  ]);
});
