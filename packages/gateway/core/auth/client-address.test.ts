import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createClientAddress } from './client-address.ts';

const trusting = createClientAddress(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);

function from(remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

test.each([
  ['no header', '10.0.0.1', {}, '10.0.0.1'],
  ['one client', '10.0.0.1', { 'x-forwarded-for': '203.0.113.5' }, '203.0.113.5'],
  ['an IPv4-mapped proxy', '::ffff:10.0.0.1', { 'x-forwarded-for': '203.0.113.5' }, '203.0.113.5'],
  ['several proxies', '10.0.0.1', { 'x-forwarded-for': '203.0.113.5, 192.0.2.7, 10.2.3.4' }, '203.0.113.5'],
  ['an address that the client made up', '10.0.0.1', { 'x-forwarded-for': '1.2.3.4, 203.0.113.5' }, '203.0.113.5'],
  ['only proxies', '10.0.0.1', { 'x-forwarded-for': '10.9.9.9' }, '10.9.9.9'],
  ['no address', '10.0.0.1', { 'x-forwarded-for': 'unknown' }, '10.0.0.1'],
  ['a port', 'fd00::1', { 'x-forwarded-for': '203.0.113.5:4711' }, '203.0.113.5'],
  ['Forwarded', '10.0.0.1', { forwarded: 'for=1.2.3.4, for="[2001:db8::5]:443";proto=https' }, '2001:db8::5'],
  [
    'two headers that agree',
    '10.0.0.1',
    { forwarded: 'for=203.0.113.5', 'x-forwarded-for': '203.0.113.5' },
    '203.0.113.5',
  ],
  ['two headers that differ', '10.0.0.1', { forwarded: 'for=1.2.3.4', 'x-forwarded-for': '203.0.113.5' }, '10.0.0.1'],
])(
  'behind a trusted proxy with %s, the client is the last address that is not a proxy',
  (_case, socket, headers, client) => {
    expect(trusting(from(socket, headers))).toBe(client);
  },
);

test('forwarding headers of an untrusted peer are ignored', () => {
  const headers = { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4' };
  expect(trusting(from('203.0.113.9', headers))).toBe('203.0.113.9');
  expect(createClientAddress([])(from('10.0.0.1', headers))).toBe('10.0.0.1');
});
