import { expect, test } from 'vitest';
import type { Clock } from '../../kernel/clock.ts';
import { createRedactor } from '../../kernel/redact.ts';
import { shortenJson } from './shorten-json.ts';
import { createTrafficLog, createTrafficLogs } from './traffic-log.ts';

/** A clock whose sleeps the test ends. */
function createManualClock() {
  let now = 1_000;
  const sleeping = new Set<() => void>();
  const clock: Clock = {
    now: () => now,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        sleeping.add(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  return {
    clock,
    advance: (ms: number) => {
      now += ms;
    },
    async wake() {
      for (const resolve of sleeping) resolve();
      await new Promise(setImmediate);
    },
  };
}

const request = (id: number, method = 'tools/call') => ({ jsonrpc: '2.0', id, method, params: {} });

test('messages are recorded only while a client watches or recording is enabled', async () => {
  const { clock, wake } = createManualClock();
  const log = createTrafficLog({ clock });
  const tap = log.openTap(createRedactor());
  expect(tap.isOn).toBe(false);
  const unwatch = log.watch({ onEntry() {} });
  expect(tap.isOn).toBe(true);
  tap.record('sent', request(1));
  unwatch();
  unwatch();
  expect([tap.isOn, log.entries().length]).toEqual([true, 1]);
  await wake();
  expect([tap.isOn, log.entries().length]).toEqual([false, 0]);

  log.setEnabled(true);
  expect(tap.isOn).toBe(true);
  log.watch({ onEntry() {} })();
  await wake();
  expect(tap.isOn).toBe(true);
  log.setEnabled(false);
  await wake();
  expect(tap.isOn).toBe(false);
});

test('a watcher that returns at once finds the messages that were recorded meanwhile', async () => {
  const { clock, wake } = createManualClock();
  const log = createTrafficLog({ clock });
  const tap = log.openTap(createRedactor());
  log.watch({ onEntry() {} })();
  tap.record('sent', request(1));
  const unwatch = log.watch({ onEntry() {} });
  await wake();
  expect(log.entries()).toHaveLength(1);
  unwatch();
});

test('an answer carries the method, the call and the duration of its request', () => {
  const { clock, advance } = createManualClock();
  const log = createTrafficLog({ clock });
  log.setEnabled(true);
  const tap = log.openTap(createRedactor());
  tap.record('sent', request(7), 'call 7');
  advance(25);
  tap.record('received', { jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: {} });
  tap.record('sent', { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'no' } });
  tap.record('received', { jsonrpc: '2.0', id: 7, result: {} });
  tap.recordFailure(request(8), new Error('HTTP 401'));
  const facts = log.entries().map(({ direction, kind, topic, method, callId, durationMs }) => ({
    ...{ direction, kind, topic, method, callId, durationMs },
  }));
  const none = { callId: undefined, durationMs: undefined };
  expect(facts).toEqual([
    {
      direction: 'sent',
      kind: 'request',
      topic: 'request',
      method: 'tools/call',
      callId: 'call 7',
      durationMs: undefined,
    },
    { direction: 'received', kind: 'request', topic: 'question', method: 'sampling/createMessage', ...none },
    {
      direction: 'sent',
      kind: 'error',
      topic: 'question',
      method: 'sampling/createMessage',
      callId: undefined,
      durationMs: 0,
    },
    { direction: 'received', kind: 'result', topic: 'request', method: 'tools/call', callId: 'call 7', durationMs: 25 },
    { direction: 'sent', kind: 'failure', topic: 'request', method: 'tools/call', ...none },
  ]);
});

test('secrets are redacted in texts and keys, also at the edge of a truncated text', () => {
  const redactor = createRedactor();
  redactor.add('super-secret-token');
  const log = createTrafficLog({ clock: createManualClock().clock, maxMessageBytes: 200 });
  log.setEnabled(true);
  const text = `${'x'.repeat(150)}super-secret-token${'y'.repeat(1_000)}`;
  log.openTap(redactor).record('received', {
    jsonrpc: '2.0',
    id: 1,
    result: { 'super-secret-token': ['super-secret-token'], text },
  });
  const [entry] = log.entries();
  expect(entry?.json).not.toMatch(/super|secret-t/);
  expect(entry?.json).toContain('[redacted]');
  expect(entry).toMatchObject({ isTruncated: true, bytes: expect.any(Number) });
  expect(entry?.bytes).toBeGreaterThan(1_000);
});

test('the oldest messages are removed when the log is full', () => {
  const { clock } = createManualClock();
  const log = createTrafficLog({ clock, maxBytes: () => 3_000 });
  log.setEnabled(true);
  const tap = log.openTap(createRedactor());
  for (let id = 0; id < 100; id++) tap.record('sent', request(id));
  const ids = log.entries().map(({ requestId }) => requestId);
  expect(ids.length).toBeLessThan(10);
  expect(ids.at(-1)).toBe(99);
});

test('all logs together stay within one limit', () => {
  const { clock } = createManualClock();
  const logs = createTrafficLogs(clock, 40_000);
  const taps = Array.from({ length: 10 }, (_, index) => {
    const log = logs.of(`server ${index}`);
    log.setEnabled(true);
    return { log, tap: log.openTap(createRedactor()) };
  });
  for (let id = 0; id < 100; id++) for (const { tap } of taps) tap.record('sent', request(id));
  const bytes = taps.flatMap(({ log }) => log.entries()).reduce((sum, { json }) => sum + json.length + 300, 0);
  expect(bytes).toBeLessThanOrEqual(40_000);
});

test('a large value is shortened without copying all of it, and its size is reported', () => {
  const { value, length, isTruncated } = shortenJson(
    { rows: Array.from({ length: 10_000 }, () => 'abc') },
    100,
    (text) => text,
  );
  expect(isTruncated).toBe(true);
  expect(length).toBeGreaterThan(40_000);
  expect(JSON.stringify(value).length).toBeLessThan(300);
  expect(shortenJson({ a: [1, null, 'b'] }, 100, (text) => text)).toMatchObject({
    value: { a: [1, null, 'b'] },
    isTruncated: false,
  });
});
