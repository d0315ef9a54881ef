import { expect, test } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { isoTime } from '../kernel/clock.ts';
import { RunningCall } from './call.ts';

const entry = { name: 'mcp_s_echo', originalName: 'echo', definitionHash: 'h' } as CatalogEntry;
const caller = { id: 'ada', kind: 'client' } as const;
const noon = Date.parse('2026-11-01T12:00:00.000Z');

function createCall() {
  let now = noon;
  const call = new RunningCall({
    id: 'c',
    entry,
    arguments: {},
    caller,
    host: {},
    outer: undefined,
    now: () => isoTime(now),
  });
  return {
    call,
    setClock(time: number) {
      now = time;
    },
  };
}

test('the record of a call has the times when the call was received, started and ended', () => {
  const { call, setClock } = createCall();
  setClock(noon + 10);
  call.start({});
  setClock(noon + 25);
  expect(call.end({ status: 'success' })).toMatchObject({
    createdAt: '2026-11-01T12:00:00.000Z',
    startedAt: '2026-11-01T12:00:00.010Z',
    completedAt: '2026-11-01T12:00:00.025Z',
  });
});

test('a call never ends before it starts, even if the clock is set back in between', () => {
  const { call, setClock } = createCall();
  setClock(noon - 3_600_000);
  const running = call.start({});
  expect(running.startedAt).toBe(running.createdAt);
  setClock(noon - 86_400_000);
  expect(call.end({ status: 'success' }).completedAt).toBe(running.createdAt);
});

test('a reader of events that leaves while it waits is forgotten at once', async () => {
  const { call } = createCall();
  const events = call.events[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: 'state', state: 'received' });
  const waiting = events.next();
  await events.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(call.hasListeners).toBe(false);
});
