import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { mayBeAnonymous, mayUseCookie } from './cross-site.ts';
import { readSessionCookie, toSessionCookie } from './session-cookie.ts';

const host = 'localhost:7420';
const request = (method: string, headers: Record<string, string> = {}) =>
  ({ method, headers: { host, ...headers } }) as unknown as IncomingMessage;
const json = { 'content-type': 'application/json' };

describe('a request with a cookie', () => {
  test('may read from anywhere, and change things from our own page or with our own header', () => {
    expect(mayUseCookie(request('GET', { origin: 'http://evil.example' }))).toBe(true);
    expect(mayUseCookie(request('POST', { origin: 'http://localhost:7420' }))).toBe(true);
    expect(mayUseCookie(request('DELETE', { 'x-toolwharf': '1' }))).toBe(true);
  });

  test.each(['http://localhost:3000', 'http://evil.example', 'null', 'nonsense'])('may not from %s', (origin) => {
    expect(mayUseCookie(request('POST', { origin, ...json }))).toBe(false);
  });

  test('may not without saying where it is from', () => {
    expect(mayUseCookie(request('POST', json))).toBe(false);
  });

  test('may come through what ends TLS', () => {
    const headers = { host: 'tools.example.com', origin: 'https://tools.example.com' };
    expect(mayUseCookie(request('POST', headers))).toBe(true);
  });
});

describe('a request without credentials', () => {
  test('may come from a program, which sends no origin, and from our own page', () => {
    expect(mayBeAnonymous(request('POST'))).toBe(true);
    expect(mayBeAnonymous(request('POST', { origin: 'http://localhost:7420' }))).toBe(true);
  });

  test('of another page must be one that the browser asks about first', () => {
    const origin = 'http://localhost:3000';
    expect(mayBeAnonymous(request('POST', { origin }))).toBe(false);
    expect(mayBeAnonymous(request('POST', { origin, 'content-type': 'text/plain' }))).toBe(false);
    expect(mayBeAnonymous(request('POST', { origin, ...json }))).toBe(true);
    expect(mayBeAnonymous(request('DELETE', { origin }))).toBe(true);
    expect(mayBeAnonymous(request('POST', { origin, 'x-toolwharf': '1' }))).toBe(true);
  });
});

describe('the cookie', () => {
  test('is out of reach for scripts and other sites, and Secure behind TLS', () => {
    expect(toSessionCookie(request('POST'), 'abc', 60_000)).toBe(
      'toolwharf-session-7420=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
    );
    expect(toSessionCookie(request('POST', { origin: 'https://x.example' }), 'abc', 1)).toContain('; Secure');
    expect(toSessionCookie(request('DELETE'), undefined, 60_000)).toContain(
      'toolwharf-session-7420=; Path=/; Max-Age=0',
    );
  });

  test('is told apart from that of a gateway on another port', () => {
    const cookie = 'toolwharf-session-7421=other; theme=dark; toolwharf-session-7420=ours';
    expect(readSessionCookie(request('GET', { cookie }))).toBe('ours');
    expect(readSessionCookie(request('GET', { cookie: 'theme=dark' }))).toBeUndefined();
    expect(readSessionCookie(request('GET', { host: 'x.example', cookie: 'toolwharf-session=plain' }))).toBe('plain');
  });
});
