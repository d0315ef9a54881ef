import { expect, test } from 'vitest';
import { ToolwharfError } from '../../../contract/errors.ts';
import { assertSecureUrl, isLoopbackUrl } from './secure-url.ts';

const loopback = ['localhost', 'api.localhost', '127.0.0.1', '127.8.9.10', '[::1]', '2130706433'];
const elsewhere = [
  'example.com',
  '10.0.0.1',
  '192.168.1.1',
  '0.0.0.0',
  '128.0.0.1',
  'localhost.example.com',
  '127.0.0.1.nip.io',
  '[::2]',
];

test.for(loopback)('plain http to %s is allowed because it stays on this machine [R19]', (host) => {
  expect(assertSecureUrl(`http://${host}:8080/mcp`, { serverName: 'notes' }).pathname).toBe('/mcp');
  expect(isLoopbackUrl(new URL(`https://${host}/`))).toBe(true);
});

test.for(elsewhere)('plain http to %s is rejected with advice unless the server sets allowInsecure [R19]', (host) => {
  const url = `http://${host}/mcp`;
  const refused = catching(() => assertSecureUrl(url, { serverName: 'notes' }));
  expect(refused).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/'notes'.*https.*allowInsecure/),
  });
  expect(assertSecureUrl(url, { serverName: 'notes', security: { allowInsecure: true } }).href).toContain('http://');
  expect(assertSecureUrl(`https://${host}/mcp`, { serverName: 'notes' }).protocol).toBe('https:');
});

test.for([
  'https://ada:hunter22@example.com/',
  'https://ada@example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'example.com',
  '',
])('the URL %s is rejected, and a password in it is not repeated [R3]', (url) => {
  const refused = catching(() => assertSecureUrl(url, { serverName: 'notes', security: { allowInsecure: true } }));
  expect(refused.code).toBe('CONFIG_INVALID');
  expect(refused.message).not.toContain('hunter22');
});

function catching(work: () => unknown): ToolwharfError {
  try {
    work();
  } catch (cause) {
    if (cause instanceof ToolwharfError) return cause;
  }
  throw new Error('nothing was refused');
}
