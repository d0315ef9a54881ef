import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { LightAbort } from '../../../toolwharf/kernel/abort-source.ts';
import { createEndedSessions } from '../auth/ended-sessions.ts';
import type { MessageStream } from './message-stream.ts';
import { createSessions } from './sessions.ts';

const facts = {
  id: 'a',
  caller: 'c',
  profile: 'default',
  protocolVersion: '2025-11-25',
  capabilities: {},
  expiresAt: Number.POSITIVE_INFINITY,
};
const never = new LightAbort().signal;

afterEach(() => vi.useRealTimers());

function collect(): MessageStream & { readonly sent: JsonObject[] } {
  const sent: JsonObject[] = [];
  const stream = { sent, closed: false, send: (message: JsonObject) => sent.push(message), end: () => {} };
  return stream;
}

function toResponse(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

test('a question is sent with a new id and receives the answer posted for it, once', async () => {
  const session = createSessions({ onEnd: () => {} }).open(facts);
  const stream = collect();
  const answer = session.ask(stream, 'roots/list', {}, never);
  const id = stream.sent[0]?.id as string;
  expect(session.answer('somebody-else', { result: {} })).toBe(false);
  expect(session.answer(id, { result: { roots: [] } })).toBe(true);
  expect(session.answer(id, { result: { roots: ['late'] } })).toBe(false);
  expect(await answer).toEqual({ roots: [] });
});

test('an error of the client reaches the server with its code', async () => {
  const session = createSessions({ onEnd: () => {} }).open(facts);
  const stream = collect();
  const answer = session.ask(stream, 'roots/list', {}, never);
  session.answer(String(stream.sent[0]?.id), { error: { code: -1, message: 'User rejected' } });
  await expect(answer).rejects.toMatchObject({ code: -1, message: 'User rejected' });
});

test('a question is withdrawn when its caller stops waiting', async () => {
  const session = createSessions({ onEnd: () => {}, questionTimeoutMs: () => 5 }).open(facts);
  const stream = collect();
  const over = new LightAbort();
  const withdrawn = session.ask(stream, 'roots/list', {}, over.signal);
  over.abort(new Error('answered elsewhere'));
  await expect(withdrawn).rejects.toThrow('answered elsewhere');
  await expect(session.ask(stream, 'roots/list', {}, never)).rejects.toThrow('No answer in time');
  const [first, , second] = stream.sent;
  expect(stream.sent.filter(({ method }) => method === 'notifications/cancelled')).toEqual([
    expect.objectContaining({ params: { requestId: first?.id } }),
    expect.objectContaining({ params: { requestId: second?.id } }),
  ]);
});

test('a question is withdrawn when its client has had no open stream for the time of absence', async () => {
  vi.useFakeTimers();
  const session = createSessions({ onEnd: () => {}, absenceMs: 1_000, questionTimeoutMs: () => 10_000 }).open(facts);
  const own = toResponse();
  const rejected = vi.fn();
  session.ask(session.openStream(own), 'roots/list', {}, never).catch(rejected);
  await vi.advanceTimersByTimeAsync(3_000);
  own.emit('close');
  await vi.advanceTimersByTimeAsync(999);
  const standing = toResponse();
  session.resumable.open('standing', standing);
  await vi.advanceTimersByTimeAsync(3_000);
  standing.emit('close');
  await vi.advanceTimersByTimeAsync(999);
  expect(rejected).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(rejected).toHaveBeenCalledExactlyOnceWith(new Error('The client is disconnected'));
});

test('a client that lost its streams can still answer, and its question leaves no timer behind', async () => {
  vi.useFakeTimers();
  const session = createSessions({ onEnd: () => {} }).open(facts);
  const own = toResponse();
  const answer = session.ask(session.openStream(own), 'roots/list', {}, never);
  own.emit('close');
  expect(session.answer('toolwharf-1', { result: { roots: [] } })).toBe(true);
  expect(await answer).toEqual({ roots: [] });
  expect(vi.getTimerCount()).toBe(0);
});

test('messages that belong to no request are sent on the newest open stream', () => {
  const session = createSessions({ onEnd: () => {} }).open(facts);
  session.broadcast({ lost: true });
  const old = collect();
  const closed = { ...collect(), closed: true };
  session.streams.add(old).add(closed);
  session.broadcast({ n: 1 });
  expect(old.sent).toEqual([{ n: 1 }]);
});

test('ending a session cancels its requests and closes its streams', () => {
  const ended: string[] = [];
  const sessions = createSessions({
    onEnd: (session) => ended.push(session.facts.id),
    ended: createEndedSessions(),
  });
  const session = sessions.open(facts);
  const running = new LightAbort();
  session.running.set(1, running);
  void sessions.end(facts);
  expect(running.aborted).toBe(true);
  expect(sessions.isEnded(facts)).toBe(true);
  expect(ended).toEqual(['a']);
  expect([...sessions.all()]).toEqual([]);
});

test('an idle session is removed after ten minutes and its resources are no longer watched', () => {
  vi.useFakeTimers();
  const ended: string[] = [];
  const sessions = createSessions({ onEnd: (session) => ended.push(session.facts.id), idleMs: 1_000 });
  sessions.open(facts).watched.set('memo://one', { server: 's', end: async () => {} });
  const busy = sessions.open({ ...facts, id: 'busy' });
  busy.running.set(1, new LightAbort());
  vi.advanceTimersByTime(2_000);
  const back = sessions.open({ ...facts, id: 'b' });
  expect(ended).toEqual(['a']);
  expect([...sessions.all()]).toEqual([busy, back]);
  expect(sessions.isEnded(facts)).toBe(false);
});
