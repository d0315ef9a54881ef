import { expect, test } from 'vitest';
import {
  ends,
  inCountedPeriod,
  matchesQuery,
  outcomeFilters,
  readFilter,
  toQuery,
  writeFilter,
} from './call-filter.ts';
import type { ListedCall } from './merge-calls.ts';

const read = (search: string) => readFilter(new URLSearchParams(search));
const call: ListedCall = {
  id: '1',
  server: 's',
  tool: 'mcp_s_add',
  originalName: 'add',
  caller: { id: 'local', kind: 'client' },
  status: 'success',
  createdAt: '2026-03-01T10:00:00.000Z',
};

test('a filter is the same after being written to and read from an address', () => {
  const filters = [
    {},
    {
      search: 'a b&c',
      server: 's',
      tool: 'mcp_s_add',
      status: 'error',
      end: ['tool', 'denied'],
      caller: 'key:1',
      range: '1h',
    },
    { since: '2026-03-01T10:00:00.000Z', until: '2026-03-02T10:00:00.000Z' },
  ] as const;
  for (const filter of filters) expect(readFilter(writeFilter(filter))).toEqual(filter);
});

test('invalid values in an address are ignored', () => {
  expect(read('status=toString&end=valueOf&range=constructor&since=soon&until=&search=%20&other=1')).toEqual({});
  expect(read('range=1h&since=2026-03-01T10:00:00Z')).toEqual({ range: '1h' });
});

test('a range begins at a whole minute', () => {
  expect(toQuery({ range: '15m', server: 's' }, Date.parse('2026-03-01T10:20:33.500Z'))).toEqual({
    server: 's',
    since: '2026-03-01T10:05:00.000Z',
  });
});

test('calls match a query by the rules of the gateway', () => {
  expect(matchesQuery(call, {})).toBe(true);
  expect(matchesQuery(call, { search: 'ADD', server: 's', status: 'success', caller: 'local' })).toBe(true);
  expect(matchesQuery(call, { search: 'oca' })).toBe(true);
  expect(matchesQuery(call, { search: 'subtract' })).toBe(false);
  expect(matchesQuery(call, { end: 'denied' })).toBe(false);
  expect(matchesQuery({ ...call, status: 'error', end: 'timeout' }, { end: 'tool,timeout' })).toBe(true);
  expect(matchesQuery({ ...call, status: 'error', end: 'denied' }, { end: 'tool,timeout' })).toBe(false);
  expect(matchesQuery(call, { server: 't' })).toBe(false);
  expect(matchesQuery(call, { tool: 'mcp_s_add' })).toBe(true);
  expect(matchesQuery(call, { tool: 'add', server: 's' })).toBe(true);
  expect(matchesQuery(call, { tool: 'ad' })).toBe(false);
  expect(matchesQuery(call, { status: 'error' })).toBe(false);
  expect(matchesQuery(call, { caller: 'other' })).toBe(false);
  expect(matchesQuery(call, { since: call.createdAt })).toBe(true);
  expect(matchesQuery(call, { until: call.createdAt })).toBe(false);
});

test('every way in which a call can end belongs to one outcome', () => {
  const covered = Object.values(outcomeFilters).flatMap((filter) => ('end' in filter ? filter.end : []));
  expect(covered.toSorted()).toEqual(ends.toSorted());
});

test('a link from the statistics names the period that they count', () => {
  expect(inCountedPeriod({ server: 's' })).toEqual({ server: 's', range: '24h' });
  expect(inCountedPeriod({ range: '1h' })).toEqual({ range: '1h' });
  expect(inCountedPeriod({ until: call.createdAt })).toEqual({ until: call.createdAt });
});
