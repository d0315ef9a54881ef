import { expect, test } from 'vitest';
import type { ServerSpec } from './config.ts';
import { describeLocation } from './server-location.ts';

const stdio = (...args: string[]) =>
  describeLocation({ target: { transport: 'stdio', command: 'npx', args, env: { A: 'b' } } });
const http = (url: string) => describeLocation({ target: { transport: 'http', url } as ServerSpec['target'] });

test('a command is shown with its arguments, without secrets', () => {
  expect(stdio('-y', 'server', '/data')).toBe('npx -y server /data');
  expect(stdio('--api-key', 'swordfish', '--token=swordfish', 'https://u:swordfish@host/?k=swordfish')).not.toContain(
    'swordfish',
  );
  expect(stdio('two\nlines')).toBe('npx two lines');
});

test('a URL is shown without user, password and query', () => {
  expect(http('https://example.com/mcp?key=swordfish')).toBe('https://example.com/mcp?…');
});
