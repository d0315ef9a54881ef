import { afterEach, describe, expect, test } from 'vitest';
import { type MessageSink, startMessageSink } from '../../../../test/support/message-sink.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import type { NotificationConfig } from '../../../contract/settings/notifications-schema.ts';
import { systemClock } from '../../../toolwharf/kernel/clock.ts';
import { createLog, type LogEntry } from '../../../toolwharf/kernel/log.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { openStorage } from '../../core/storage/open-storage.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { isQuiet } from './quiet-hours.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const start = Date.parse('2026-03-06T17:00:00.000Z');

/** Two replicas with one store and one clock that the test moves. Time on the clock does not pass by itself. */
async function setUp(channels: (url: string) => readonly Partial<NotificationConfig>[], url?: string) {
  const sink: MessageSink = await startMessageSink();
  const storage: Storage = await openStorage({ kind: 'memory' });
  const entries: LogEntry[] = [];
  const stop = new AbortController();
  let now = start;
  const replicas: Notifier[] = [1, 2].map(() =>
    createNotifier({
      channels: () => channels(url ?? sink.url) as NotificationConfig[],
      storage,
      findRecipients: async () => [],
      personOf: async (id) => id.replace(/-.*/, ''),
      linkFor: (message) => `https://tools.example.com/answer/${message}`,
      env: {},
      log: createLog((entry) => entries.push(entry)),
      stopping: stop.signal,
      clock: { ...systemClock, now: () => now },
      burstMs: 5,
      pollMs: 10,
      backoffMs: 1,
    }),
  );
  cleanups.push(async () => {
    stop.abort();
    await Promise.all(replicas.map((replica) => replica.close()));
    await sink[Symbol.asyncDispose]();
    await storage.close();
  });
  return {
    ...{ sink, storage, entries, replicas },
    pass: (ms: number) => {
      now += ms;
    },
    async ask(id: string, caller = 'key:ada') {
      const { request } = await storage.approvals.add({
        ...base,
        id,
        argumentsHash: id,
        caller: { id: caller, kind: 'client' },
        askedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + 86_400_000).toISOString(),
      });
      for (const replica of replicas) replica.wake();
      return request;
    },
    sent: (path = '/hook') =>
      sink.at(path).map(({ body }) => body.approvals.map(({ id }: ApprovalRequest) => id).toSorted() as string[]),
  };
}

const base: ApprovalRequest = {
  id: 'a',
  callId: 'c',
  caller: { id: 'key:ada', kind: 'client' },
  server: 's',
  tool: 's__t',
  originalName: 't',
  description: '',
  arguments: { amount: 5 },
  argumentsHash: 'x',
  definitionHash: 'y',
  reason: 'the approval mode is always-ask',
  askedAt: '',
  expiresAt: '',
};

describe('which message is sent when', () => {
  test('two replicas send one message per burst and caller, and none again', async () => {
    const { ask, pass, sent } = await setUp((url) => [{ name: 'hook', type: 'webhook', url: `${url}/hook` }]);
    await Promise.all([ask('a1'), ask('a2', 'key:ada-2'), ask('a3'), ask('b1', 'key:bob')]);
    pass(10);
    await waitFor(() => sent().length === 2);
    await ask('a4');
    pass(10);
    await waitFor(() => sent().length === 3);
    expect(sent().toSorted()).toEqual([['a1', 'a2', 'a3'], ['a4'], ['b1']]);
  });

  test('a channel with a delay gets what is unanswered then, and not what was answered before', async () => {
    const { ask, pass, sent, storage } = await setUp((url) => [
      { name: 'hook', type: 'webhook', url: `${url}/hook` },
      { name: 'boss', type: 'webhook', url: `${url}/boss`, after: 60_000 },
    ]);
    await ask('answered');
    await ask('open', 'key:bob');
    pass(10);
    await waitFor(() => sent().length === 2);
    await storage.approvals.answer('answered', { kind: 'deny' }, 'Ada', start + 1_000);
    pass(60_000);
    await waitFor(() => sent('/boss').length === 1);
    expect(sent('/boss')).toEqual([['open']]);
  });

  test('nothing is sent in quiet hours, and what still waits afterwards is sent then', async () => {
    const quietHours = { from: '18:00', to: '07:00', timeZone: 'UTC' };
    const { ask, pass, sent } = await setUp((url) => [
      { name: 'hook', type: 'webhook', url: `${url}/hook`, quietHours },
      { name: 'loud', type: 'webhook', url: `${url}/loud` },
    ]);
    pass(2 * 3_600_000);
    await ask('evening');
    pass(10);
    await waitFor(() => sent('/loud').length === 1);
    expect(sent()).toEqual([]);
    pass(12 * 3_600_000);
    await waitFor(() => sent().length === 1);
    expect(sent()).toEqual([['evening']]);
  });

  test('a channel that cannot be reached is logged after its last attempt, and stops no other channel', async () => {
    const { ask, pass, sent, entries } = await setUp((url) => [
      { name: 'dead', type: 'webhook', url: 'http://127.0.0.1:1/x' },
      { name: 'hook', type: 'webhook', url: `${url}/hook` },
    ]);
    await ask('a1');
    pass(10);
    await waitFor(() => entries.length > 0 && sent().length === 1);
    expect(entries).toMatchObject([
      { event: 'notification.failed', message: expect.stringContaining("not sent to 'dead'") },
    ]);
  });
});

describe('quiet hours', () => {
  const at = (text: string) => Date.parse(text);
  test.each([
    ['2026-03-06T19:59:00+01:00', false],
    ['2026-03-06T20:00:00+01:00', true],
    ['2026-03-07T06:59:00+01:00', true],
    ['2026-03-07T07:00:00+01:00', false],
  ])('quiet hours that pass midnight: at %s it is %s', (time, expected) => {
    expect(isQuiet({ from: '20:00', to: '07:00', timeZone: 'Europe/Berlin' }, at(time))).toBe(expected);
  });

  test('quiet weekends are quiet all day, and other days only in their hours', () => {
    const quiet = { from: '12:00', to: '13:00', timeZone: 'UTC', weekends: 'quiet' } as const;
    expect(isQuiet(quiet, at('2026-03-07T09:00:00Z'))).toBe(true);
    expect(isQuiet(quiet, at('2026-03-06T09:00:00Z'))).toBe(false);
    expect(isQuiet(quiet, at('2026-03-06T12:30:00Z'))).toBe(true);
  });
});
