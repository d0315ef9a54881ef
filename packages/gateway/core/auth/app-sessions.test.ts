import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAppSessions } from './app-sessions.ts';
import { createEndedSessions } from './ended-sessions.ts';

const sessionKey = randomBytes(32);

test('every replica accepts a session until it expires', () => {
  let now = 1_000;
  const options = { ended: createEndedSessions(), sessionKey, adminToken: 'token', lifetimeMs: 500, now: () => now };
  const session = createAppSessions(options).open({ kind: 'key', id: 'k' });
  const other = createAppSessions(options);
  expect(other.find(session)).toEqual({ kind: 'key', id: 'k' });
  now = 1_500;
  expect(other.find(session)).toBeUndefined();
});

test('signing out ends only that session', async () => {
  const sessions = createAppSessions({ ended: createEndedSessions(), sessionKey });
  const [one, other] = [sessions.open({ kind: 'admin' }), sessions.open({ kind: 'admin' })];
  await sessions.end(one);
  await sessions.end('nonsense');
  expect(sessions.find(one)).toBeUndefined();
  expect(sessions.find(other)).toEqual({ kind: 'admin' });
});

test('replacing the admin token ends all sessions', () => {
  const session = createAppSessions({ ended: createEndedSessions(), sessionKey, adminToken: 'old' }).open({
    kind: 'admin',
  });
  expect(
    createAppSessions({ ended: createEndedSessions(), sessionKey, adminToken: 'new' }).find(session),
  ).toBeUndefined();
  expect(
    createAppSessions({ ended: createEndedSessions(), sessionKey: randomBytes(32), adminToken: 'old' }).find(session),
  ).toBeUndefined();
});

test('a forged or truncated session is rejected', () => {
  const sessions = createAppSessions({ ended: createEndedSessions(), sessionKey });
  const [, signature] = sessions.open({ kind: 'local' }).split('.');
  const forged = Buffer.from(JSON.stringify({ id: 'x', holder: { kind: 'admin' }, until: 9e15 })).toString('base64url');
  for (const text of ['', '.', 'a.b', `${forged}.`, `${forged}.${signature}`, forged])
    expect(sessions.find(text)).toBeUndefined();
});
