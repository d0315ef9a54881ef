import { expect, test } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { openRecord } from './open-record.ts';

const entry = { name: 'mcp_s_echo', originalName: 'echo', definitionHash: 'h' } as CatalogEntry;
const caller = { id: 'ada', kind: 'client' } as const;
const noon = Date.parse('2026-11-01T12:00:00.000Z');

function opened() {
  let now = noon;
  const record = openRecord('c', entry, {}, { caller }, () => isoTime(now));
  return {
    record,
    set(time: number) {
      now = time;
    },
  };
}

test('a call has the times of its steps', () => {
  const { record, set } = opened();
  set(noon + 10);
  record.start({});
  set(noon + 25);
  expect(record.end({ status: 'success' })).toMatchObject({
    createdAt: '2026-11-01T12:00:00.000Z',
    startedAt: '2026-11-01T12:00:00.010Z',
    completedAt: '2026-11-01T12:00:00.025Z',
  });
});

test('a clock that is set back in the middle of a call does not end it before it began', () => {
  const { record, set } = opened();
  set(noon - 3_600_000);
  const running = record.start({});
  expect(running.startedAt).toBe(running.createdAt);
  set(noon - 86_400_000);
  expect(record.end({ status: 'success' }).completedAt).toBe(running.createdAt);
});
