import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { parseServer } from '../config/open-config.ts';
import { toServerAddress } from './protocol-cache.ts';

const address = (server: JsonObject) => toServerAddress(parseServer('s', server));
const program = { command: 'node', args: ['server.js'], cwd: '/srv' };

test('the address of a program depends on its command, arguments, directory and environment', () => {
  const all = [
    program,
    { ...program, command: 'deno' },
    { ...program, args: ['other.js'] },
    { ...program, cwd: '/tmp' },
    { ...program, env: { STAGE: 'test' } },
    { ...program, env: { STAGE: 'live' } },
    { ...program, env: { STAGE: 'live', GITHUB_TOKEN: 'a' } },
  ];
  expect(new Set(all.map(address)).size).toBe(all.length);
});

test('the address of a program does not depend on the order of its environment or on its credentials', () => {
  const first = address({ ...program, env: { STAGE: 'live', GITHUB_TOKEN: 'a', DB: 'postgres://ann:one@db/x' } });
  const second = address({ ...program, env: { DB: 'postgres://ann:two@db/x', GITHUB_TOKEN: 'b', STAGE: 'live' } });
  expect(second).toBe(first);
});

test('the address of a server with a URL is that URL', () => {
  expect(address({ url: 'https://example.com/mcp', headers: { 'x-stage': 'test' } })).toBe('https://example.com/mcp');
});
