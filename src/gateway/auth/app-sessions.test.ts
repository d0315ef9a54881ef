import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAppSessions } from './app-sessions.ts';

const sessionKey = randomBytes(32);

test('a session is known to every replica until its time is over', () => {
  let now = 1_000;
  const options = { sessionKey, adminToken: 'token', lifetimeMs: 500, now: () => now };
  const session = createAppSessions(options).open({ kind: 'key', id: 'k' });
  const other = createAppSessions(options);
  expect(other.find(session)).toEqual({ kind: 'key', id: 'k' });
  now = 1_500;
  expect(other.find(session)).toBeUndefined();
});

test('signing out ends one session and no other', () => {
  const sessions = createAppSessions({ sessionKey });
  const [one, other] = [sessions.open({ kind: 'admin' }), sessions.open({ kind: 'admin' })];
  sessions.end(one);
  sessions.end('nonsense');
  expect(sessions.find(one)).toBeUndefined();
  expect(sessions.find(other)).toEqual({ kind: 'admin' });
});

test('a new admin token ends the sessions of the old one', () => {
  const session = createAppSessions({ sessionKey, adminToken: 'old' }).open({ kind: 'admin' });
  expect(createAppSessions({ sessionKey, adminToken: 'new' }).find(session)).toBeUndefined();
  expect(createAppSessions({ sessionKey: randomBytes(32), adminToken: 'old' }).find(session)).toBeUndefined();
});

test('what is forged or cut is no session', () => {
  const sessions = createAppSessions({ sessionKey });
  const [, signature] = sessions.open({ kind: 'local' }).split('.');
  const forged = Buffer.from(JSON.stringify({ id: 'x', holder: { kind: 'admin' }, until: 9e15 })).toString('base64url');
  for (const text of ['', '.', 'a.b', `${forged}.`, `${forged}.${signature}`, forged])
    expect(sessions.find(text)).toBeUndefined();
});
