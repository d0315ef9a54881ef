import { expect, test } from 'vitest';
import type { Approval, Call } from '../../api/client.ts';
import { findPhases } from './timeline.ts';

const start = Date.parse('2026-03-01T10:00:00.000Z');
const at = (ms: number) => new Date(start + ms).toISOString();
const call = (more: Partial<Call>): Call => ({
  id: '1',
  tool: 'mcp_s_add',
  originalName: 'add',
  caller: { id: 'local', kind: 'client' },
  arguments: {},
  definitionHash: 'x',
  status: 'success',
  createdAt: at(0),
  ...more,
});
const approval = (more: Partial<Approval>): Approval => ({
  id: 'q',
  callId: '1',
  caller: { id: 'local', kind: 'client' },
  tool: 'mcp_s_add',
  originalName: 'add',
  description: '',
  arguments: {},
  argumentsHash: '',
  definitionHash: '',
  isRemembered: false,
  reason: 'the approval mode is always-ask',
  askedAt: at(2),
  expiresAt: at(600_000),
  status: 'used',
  mayAnswer: true,
  audiences: [],
  ...more,
});
const shown = (...input: Parameters<typeof findPhases>) =>
  findPhases(...input).map(({ name, from, to, open }) => `${name}: ${from - start}-${to - start}${open ? ' …' : ''}`);

test('an approved call waits for approval, is queued and runs', () => {
  const ran = call({ startedAt: at(5_010), completedAt: at(5_300) });
  expect(shown(ran, approval({ answeredAt: at(5_002) }), start + 99_999)).toEqual([
    'approval: 2-5002',
    'queued: 5002-5010',
    'running: 5010-5300',
  ]);
});

test('a call without approval only runs', () => {
  const ran = call({ startedAt: at(0), completedAt: at(7) });
  expect(shown(ran, undefined, start + 99_999)).toEqual(['running: 0-7']);
});

test('the last phase of an open call lasts until now', () => {
  expect(shown(call({ status: 'pending' }), approval({ status: 'pending' }), start + 900)).toEqual([
    'approval: 2-900 …',
  ]);
  expect(shown(call({ status: 'pending' }), undefined, start + 900)).toEqual(['queued: 0-900 …']);
  expect(shown(call({ status: 'running', startedAt: at(100) }), undefined, start + 900)).toEqual([
    'queued: 0-100',
    'running: 100-900 …',
  ]);
});

test('a denied call never runs', () => {
  const denied = call({ status: 'error', end: 'denied', completedAt: at(3_001) });
  expect(shown(denied, approval({ status: 'denied', answeredAt: at(3_000) }), start + 99_999)).toEqual([
    'approval: 2-3000',
  ]);
  expect(shown(denied, approval({ status: 'expired' }), start + 99_999)).toEqual(['approval: 2-3001']);
  // The store marks it some time after it expired.
  const expired = approval({ status: 'expired', expiresAt: at(2_900), answeredAt: at(9_000) });
  expect(shown(denied, expired, start + 99_999)).toEqual(['approval: 2-2900']);
});
