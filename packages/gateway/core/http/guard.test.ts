import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readSessionCookie, toSessionCookie } from '../auth/session-cookie.ts';
import { isAnonymousAllowed, isCookieAllowed, isLoopback } from './guard.ts';

const host = 'localhost:7420';
const request = (method: string, headers: Record<string, string> = {}) =>
  ({ method, headers: { host, ...headers }, socket: {} }) as unknown as IncomingMessage;
const json = { 'content-type': 'application/json' };

describe('a request with a cookie', () => {
  test('a request with a cookie may read from any origin, and change state from our own origin or with our custom header', () => {
    expect(isCookieAllowed(request('GET', { origin: 'http://evil.example' }))).toBe(true);
    expect(isCookieAllowed(request('POST', { origin: 'http://localhost:7420' }))).toBe(true);
    expect(isCookieAllowed(request('DELETE', { 'x-toolwharf': '1' }))).toBe(true);
  });

  test.each(['http://localhost:3000', 'http://evil.example', 'null', 'nonsense'])(
    'a request with a cookie may not change state from %s',
    (origin) => {
      expect(isCookieAllowed(request('POST', { origin, ...json }))).toBe(false);
    },
  );

  test('a request with a cookie may not change state without an Origin header', () => {
    expect(isCookieAllowed(request('POST', json))).toBe(false);
  });

  test('a request with a cookie may come through a TLS-terminating proxy', () => {
    const headers = { host: 'tools.example.com', origin: 'https://tools.example.com' };
    expect(isCookieAllowed(request('POST', headers))).toBe(true);
  });
});

describe('a request without credentials', () => {
  test('a request without credentials may come from a program, which sends no Origin header, or from our own page', () => {
    expect(isAnonymousAllowed(request('POST'))).toBe(true);
    expect(isAnonymousAllowed(request('POST', { origin: 'http://localhost:7420' }))).toBe(true);
  });

  test('a request without credentials from another origin must be one that triggers a CORS preflight', () => {
    const origin = 'http://localhost:3000';
    expect(isAnonymousAllowed(request('POST', { origin }))).toBe(false);
    expect(isAnonymousAllowed(request('POST', { origin, 'content-type': 'text/plain' }))).toBe(false);
    expect(isAnonymousAllowed(request('POST', { origin, ...json }))).toBe(true);
    expect(isAnonymousAllowed(request('DELETE', { origin }))).toBe(true);
    expect(isAnonymousAllowed(request('POST', { origin, 'x-toolwharf': '1' }))).toBe(true);
  });
});

describe('the cookie', () => {
  test('the cookie is HttpOnly and SameSite=Strict, and Secure behind TLS', () => {
    expect(toSessionCookie(request('POST'), 'abc', 60_000)).toBe(
      'toolwharf-session-7420=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
    );
    expect(toSessionCookie(request('POST', { origin: 'https://x.example' }), 'abc', 1)).toContain('; Secure');
    expect(toSessionCookie(request('DELETE'), undefined, 60_000)).toContain(
      'toolwharf-session-7420=; Path=/; Max-Age=0',
    );
  });

  test('the cookie has a name that depends on the port, so gateways on one machine do not share it', () => {
    const cookie = 'toolwharf-session-7421=other; theme=dark; toolwharf-session-7420=ours';
    expect(readSessionCookie(request('GET', { cookie }))).toBe('ours');
    expect(readSessionCookie(request('GET', { cookie: 'theme=dark' }))).toBeUndefined();
    expect(readSessionCookie(request('GET', { host: 'x.example', cookie: 'toolwharf-session=plain' }))).toBe('plain');
  });
});

test.each(['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'])(
  '%s is a loopback address',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each(['', '0.0.0.0', '::', '10.0.0.1', '::ffff:10.0.0.1', 'localhost.example.com', '128.0.0.1', 'fe80::1'])(
  '%j is not a loopback address',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
