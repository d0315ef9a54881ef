import { expect, test } from 'vitest';
import { ToolwharfError } from '../../contract/errors.ts';
import { type ConnectionEvent, initialModel, isSameState, reduce } from './reduce-status.ts';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

/** The state after these events, one second apart. */
function after(...events: ConnectionEvent[]) {
  return events.reduce((model, event, index) => reduce(model, event, start + (index + 1) * 1_000), initialModel(start));
}

const opened: ConnectionEvent = { type: 'opened', facts: { transport: 'stdio', era: 'modern', pid: 7 } };
const connecting: ConnectionEvent[] = [{ type: 'connect-requested' }, { type: 'attempt-started' }];
const read: ConnectionEvent = { type: 'lists-read', connectMs: 12, problem: undefined };
const failed: ConnectionEvent = {
  type: 'failed',
  error: new ToolwharfError('SERVER_UNREACHABLE', 'no route'),
  failures: 1,
  retryAt: start + 60_000,
};

test('a connection is connected once its lists are read, with the facts of its handshake', () => {
  expect(after(...connecting, opened).status).toMatchObject({ state: 'connecting', era: 'modern', since: at(2) });
  expect(after(...connecting, opened, read).status).toEqual({
    state: 'connected',
    since: at(4),
    failures: 0,
    lastConnectedAt: at(4),
    connectMs: 12,
    transport: 'stdio',
    era: 'modern',
    pid: 7,
  });
});

test('a list that cannot be read degrades the connection until the list is read successfully', () => {
  const problem: ConnectionEvent = { type: 'problem', problem: 'its tools could not be listed' };
  const degraded = after(...connecting, opened, read, problem);
  expect(degraded.status).toMatchObject({
    state: 'degraded',
    reason: 'its tools could not be listed',
    code: 'SERVER_ERROR',
  });
  const recovered = reduce(degraded, { type: 'problem', problem: undefined }, start);
  expect(recovered.status).toMatchObject({ state: 'connected' });
  expect(recovered.status.reason).toBeUndefined();
});

test('a list problem has no effect while the connection is down', () => {
  for (const events of [[], connecting, [...connecting, failed]]) {
    const before = after(...events);
    expect(reduce(before, { type: 'problem', problem: 'late' }, start)).toBe(before);
  }
});

test('a failure sets the reason, the failed attempts and the time of the next one, and clears the process id', () => {
  const once = after(...connecting, opened, failed);
  expect(once.status).toMatchObject({
    state: 'error',
    reason: 'no route',
    code: 'SERVER_UNREACHABLE',
    failures: 1,
    nextTryAt: at(60),
    era: 'modern',
  });
  expect(once.status.pid).toBeUndefined();
  const sooner = reduce(once, { type: 'retry-scheduled', retryAt: start + 30_000 }, start);
  expect(sooner.status).toEqual({ ...once.status, nextTryAt: at(30) });
  expect(after(...connecting, failed, { type: 'attempt-started' }, opened, read).status.failures).toBe(0);
});

test('the reason of a failure stays known during the next attempt, until the connection is connected', () => {
  const again = after(...connecting, failed, { type: 'attempt-started' });
  expect(again.status).toMatchObject({ state: 'connecting', reason: 'no route', code: 'SERVER_UNREACHABLE' });
  const connected = [opened, read].reduce((model, event) => reduce(model, event, start), again);
  expect(connected.status.reason).toBeUndefined();
});

test('a failure that a sign-in can solve includes the sign-in URL', () => {
  const error = new ToolwharfError('OAUTH_REQUIRED', 'sign in', { data: { authorizationUrl: 'https://a.example' } });
  const asking = after(...connecting, { type: 'failed', error, failures: 1, retryAt: start });
  expect(asking.status.signInUrl).toBe('https://a.example');
  expect(reduce(asking, { type: 'attempt-started' }, start).status.signInUrl).toBeUndefined();
});

test('a connection that is no longer wanted schedules no further attempt', () => {
  const unwanted = after(...connecting, { type: 'disconnect-requested' }, failed);
  expect(unwanted).toMatchObject({ isWanted: false, status: { state: 'error', failures: 1 } });
  expect(unwanted.status.nextTryAt).toBeUndefined();
  const disconnected = reduce(unwanted, { type: 'disconnected' }, start);
  expect(disconnected.status).toMatchObject({ state: 'disconnected', failures: 0 });
  expect(disconnected.status.reason).toBeUndefined();
});

test('the start time of a state changes only with its state, reason or next attempt', () => {
  const first = after(...connecting, opened, read);
  const again = reduce(first, { type: 'problem', problem: undefined }, start + 99_000);
  expect(again.status.since).toBe(first.status.since);
  expect(isSameState(first.status, again.status)).toBe(true);
});
