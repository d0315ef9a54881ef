import { expect, test } from 'vitest';
import { toReturnPath } from './sign-in-routes.ts';

test('a sign-in returns to the page of the app that asked for it', () => {
  for (const path of ['/', '/tools', '/calls?status=failed&x=1#top', '/servers/a%2Fb', '/?next=https://evil.example'])
    expect(toReturnPath(path)).toBe(path);
});

test.each([
  null,
  '',
  'tools',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\\/evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/%2e//evil.example',
  '/a/..//evil.example',
  'https://evil.example',
  'https:/evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/api/sign-in?return=/x',
  '/api',
  '/mcp/team',
  `/${'x'.repeat(600)}`,
])('a sign-in never returns to another site or to the API: %j', (path) => {
  expect(toReturnPath(path)).toBe('/');
});
