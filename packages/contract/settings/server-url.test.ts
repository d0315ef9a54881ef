import { describe, expect, test } from 'vitest';
import type { ServerSpec } from './config.ts';
import { describeLocation, isInsecureUrl, urlProblem, withoutSecrets } from './server-url.ts';

describe('a server URL', () => {
  test.each([
    'https://example.com/mcp',
    'http://localhost:1',
    'http://127.0.0.1:8/x',
    'http://127.9.9.9',
    'http://[::1]/',
  ])('a server URL such as %s is safe [R19]', (url) => {
    expect(isInsecureUrl(url)).toBe(false);
  });

  test.each([
    'http://example.com/mcp',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://0.0.0.0',
    'http://[fe80::1]/',
    'HTTP://EXAMPLE.COM',
  ])('a server URL such as %s is plain http to another machine [R19]', (url) => {
    expect(isInsecureUrl(url)).toBe(true);
  });

  test.each([
    ['nope', /must be a URL/],
    ['', /must be a URL/],
    ['/mcp', /must be a URL/],
    ['http://', /must be a URL/],
    ['ftp://example.com', /http or https/],
    ['file:///etc/passwd', /must be a URL/],
    ['javascript:alert(1)', /must be a URL/],
    ['https://ada:secret@example.com', /user name or password/],
    ['https://token@example.com', /user name or password/],
  ])('a server URL such as %s is rejected [M11]', (url, reason) => {
    expect(urlProblem(url)).toMatch(reason);
  });

  test('a server URL that is valid has no problem', () => {
    expect(urlProblem('https://example.com:8443/mcp?x=1')).toBeUndefined();
  });

  test('a server URL never appears in a message with its user, password or query', () => {
    const text = withoutSecrets('see https://ada:secret@example.com/x?api_key=hidden and //u:p@b/c');
    expect(text).not.toMatch(/secret|hidden|ada|u:p/);
    expect(text).toContain('example.com/x');
  });
});

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
