import { expect, test } from 'vitest';
import type { TrafficMessage } from '../../api/client.ts';
import { isFailed, matchesTraffic, summarize, toJsonLines } from './traffic-filter.ts';

const message = (part: Partial<TrafficMessage>): TrafficMessage => ({
  seq: 1,
  at: '2026-01-01T00:00:00Z',
  session: 1,
  direction: 'sent',
  kind: 'request',
  topic: 'request',
  method: 'tools/call',
  bytes: 10,
  message: { method: 'tools/call', params: { name: 'echo', arguments: { text: 'Ahoy' } } },
  ...part,
});

test('messages are filtered by topic, direction, method and text', () => {
  const call = message({});
  const log = message({ topic: 'log', direction: 'received', method: 'notifications/message' });
  const failed = message({ kind: 'result', direction: 'received', message: { result: { isError: true } } });
  const select = (filter: Parameters<typeof matchesTraffic>[1]) =>
    [call, log, failed].filter((one) => matchesTraffic(one, filter));
  expect(select({})).toEqual([call, log, failed]);
  expect(select({ topic: 'log' })).toEqual([log]);
  expect(select({ topic: 'error' })).toEqual([failed]);
  expect(select({ direction: 'received' })).toEqual([log, failed]);
  expect(select({ method: 'CALL' })).toEqual([call, failed]);
  expect(select({ method: 'call', text: 'ahoy' })).toEqual([call]);
  expect(isFailed(call)).toBe(false);
});

test.for([
  [{ params: { name: 'echo' } }, 'echo'],
  [{ params: { level: 'error', data: 'disk full' } }, 'error: disk full'],
  [{ params: { progress: 2, total: 5, message: 'half' } }, '2 / 5 half'],
  [{ result: { content: [{ type: 'text', text: 'hi' }] } }, 'hi'],
  [{ result: { tools: [1, 2] } }, 'tools: 2'],
  [{ error: { code: -1, message: 'no' } }, 'no'],
  [{ failure: 'HTTP 401' }, 'HTTP 401'],
  [{}, ''],
] as const)('the summary of %j is "%s"', ([content, summary]) => {
  expect(summarize(message({ message: content }))).toBe(summary);
});

test('messages are exported as JSON, one per line', () => {
  const lines = toJsonLines([message({}), message({ seq: 2 })])
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2]);
});
