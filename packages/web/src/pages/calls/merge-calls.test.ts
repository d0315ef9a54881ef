import { expect, test } from 'vitest';
import type { CallChangedEvent } from '../../api/client.ts';
import { type ListedCall, mergeCalls, pickNewer, toListedCall } from './merge-calls.ts';

const call = (id: string, second: number, status: ListedCall['status'] = 'success'): ListedCall => ({
  id,
  tool: 'mcp_s_add',
  originalName: 'add',
  caller: { id: 'local', kind: 'client' },
  status,
  createdAt: `2026-03-01T10:00:${String(second).padStart(2, '0')}.000Z`,
});
const all = { matches: () => true, hasMore: false };
const live = (...calls: readonly ListedCall[]) => new Map(calls.map((one) => [one.id, one]));
const ids = (calls: readonly ListedCall[]) => calls.map(({ id, status }) => `${id} ${status}`);

test('new calls come first and known ones are updated in place', () => {
  const loaded = [call('b', 2, 'running'), call('a', 1)];
  expect(ids(mergeCalls(loaded, live(call('b', 2, 'error'), call('c', 3, 'pending')), all))).toEqual([
    'c pending',
    'b error',
    'a success',
  ]);
});

test('an outdated event changes nothing', () => {
  expect(ids(mergeCalls([call('a', 1, 'success')], live(call('a', 1, 'running')), all))).toEqual(['a success']);
  expect(pickNewer(call('a', 1, 'error'), call('a', 1, 'pending')).status).toBe('error');
});

test('a call that stops matching the filter leaves the list and one that starts to match joins it', () => {
  const matches = ({ status }: ListedCall) => status === 'error';
  const merged = mergeCalls([call('b', 2, 'error')], live(call('a', 1, 'error'), call('c', 3)), { ...all, matches });
  expect(ids(merged)).toEqual(['b error', 'a error']);
  const running = ({ status }: ListedCall) => status === 'running';
  expect(mergeCalls([call('a', 1, 'running')], live(call('a', 1)), { ...all, matches: running })).toEqual([]);
});

test('a call older than the loaded pages is left to its own page', () => {
  expect(ids(mergeCalls([call('c', 3), call('b', 2)], live(call('a', 1)), { ...all, hasMore: true }))).toEqual([
    'c success',
    'b success',
  ]);
});

test('calls of the same moment keep the order of the gateway', () => {
  expect(ids(mergeCalls([call('b', 1), call('a', 1)], live(), all))).toEqual(['b success', 'a success']);
});

test('an event carries every field that the list shows', () => {
  const event: CallChangedEvent = {
    ...call('a', 1, 'error'),
    server: 's',
    parent: { kind: 'call', id: 'p' },
    end: 'denied',
    errorCode: 'CALL_DENIED',
  };
  expect(toListedCall(event)).toEqual({
    ...call('a', 1, 'error'),
    server: 's',
    parent: { kind: 'call', id: 'p' },
    end: 'denied',
  });
});
