import { expect, test } from 'vitest';
import type { ServerSpec } from './config.ts';
import { placeOf } from './place-of.ts';

const stdio = (...args: string[]) => placeOf({ target: { transport: 'stdio', command: 'npx', args, env: { A: 'b' } } });
const http = (url: string) => placeOf({ target: { transport: 'http', url } as ServerSpec['target'] });

test('a command is shown with its arguments, but not with the secrets among them', () => {
  expect(stdio('-y', 'server', '/data')).toBe('npx -y server /data');
  expect(stdio('--api-key', 'swordfish', '--token=swordfish', 'https://u:swordfish@host/?k=swordfish')).not.toContain(
    'swordfish',
  );
  expect(stdio('two\nlines')).toBe('npx two lines');
});

test('a URL is shown without user, password and query', () => {
  expect(http('https://example.com/mcp?key=swordfish')).toBe('https://example.com/mcp?…');
});
