import { expect, test } from 'vitest';
import type { ApprovalConfig } from '../../../contract/settings/config.ts';
import { findLoosened } from './loosened-approval.ts';

const strict: ApprovalConfig = {
  mode: 'always-ask',
  trustedTools: [],
  ask: ['mail/*'],
  deny: ['rm/*'],
  expiresMs: 1_000,
  approvers: 'admins',
  reads: 'ask',
};

test.each<[keyof ApprovalConfig, Partial<ApprovalConfig>]>([
  ['mode', { mode: 'auto' }],
  ['mode', { mode: 'trusted-only' }],
  ['deny', { deny: [] }],
  ['ask', { ask: [] }],
  ['reads', { reads: 'allow' }],
  ['approvers', { approvers: 'client' }],
])('a change of %s to %j loosens approval', (setting, change) => {
  expect(findLoosened({ ...strict, ...change }, strict)).toBe(setting);
  expect(findLoosened(strict, { ...strict, ...change })).toBeUndefined();
});

test('more trusted tools loosen approval only in the mode that uses them', () => {
  const trusting = { ...strict, mode: 'trusted-only' } as const;
  const more = { trustedTools: ['mail/*'] };
  expect(findLoosened({ ...trusting, ...more }, trusting)).toBe('trustedTools');
  expect(findLoosened({ ...strict, ...more }, strict)).toBeUndefined();
});

test('a tool that is denied instead of asked about, and another time to answer, do not loosen approval', () => {
  const next = { ...strict, ask: [], deny: ['rm/*', 'mail/*'], expiresMs: 60_000 };
  expect(findLoosened(next, strict)).toBeUndefined();
});
