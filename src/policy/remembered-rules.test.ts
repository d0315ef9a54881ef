import { expect, test } from 'vitest';
import type { Caller } from '../kernel/tool.ts';
import { hasParentSegment, isForCaller, matchesArguments, type RememberedRule } from './remembered-rules.ts';

const rule: RememberedRule = { id: 'r', scope: 'tool', answer: 'allow', createdAt: '2026-01-01T00:00:00Z' };
const caller: Caller = { id: 'assistant:a', kind: 'assistant', conversation: 'c1' };

test('a rule holds for its conversation, its caller or everyone, and a rule of an earlier version for everyone', () => {
  expect(isForCaller(rule, caller)).toBe(true);
  expect(isForCaller({ ...rule, audience: 'everyone' }, caller)).toBe(true);
  expect(isForCaller({ ...rule, audience: 'caller', caller: 'assistant:a' }, caller)).toBe(true);
  expect(isForCaller({ ...rule, audience: 'caller', caller: 'assistant:b' }, caller)).toBe(false);
  expect(isForCaller({ ...rule, audience: 'caller' }, caller)).toBe(false);
  expect(isForCaller({ ...rule, audience: 'conversation', conversation: 'c1' }, caller)).toBe(true);
  expect(isForCaller({ ...rule, scope: 'conversation', conversation: 'c2' }, caller)).toBe(false);
  expect(isForCaller({ ...rule, audience: 'conversation' }, { id: 'x', kind: 'client' })).toBe(false);
});

test('argument patterns match text, numbers and booleans of own members only', () => {
  const matches = (args: object) => matchesArguments({ path: 'docs/*' }, args as never);
  expect(matchesArguments(undefined, undefined)).toBe(true);
  expect(matches({ path: 'docs/a.md', other: 1 })).toBe(true);
  expect(matches({ path: 'src/a.md' })).toBe(false);
  expect(matches({ path: ['docs/a.md'] })).toBe(false);
  expect(matches({})).toBe(false);
  expect(matchesArguments({ path: 'docs/*' }, undefined)).toBe(false);
  expect(matchesArguments({ count: '1?' }, { count: 12 })).toBe(true);
  expect(matchesArguments({ toString: '*' }, {})).toBe(false);
});

test('a rule that denies holds if it is unclear whether the arguments match', () => {
  const denies = (path: unknown) => matchesArguments({ path: '/etc/*' }, { path } as never, true);
  expect(denies('/etc/passwd')).toBe(true);
  expect(denies('/tmp/../etc/passwd')).toBe(true);
  expect(denies(['/etc/passwd'])).toBe(true);
  expect(denies(`/etc/${'x'.repeat(20_000)}`)).toBe(true);
  expect(denies('/tmp/x')).toBe(false);
  expect(denies(undefined)).toBe(false);
});

test('a very long text matches no pattern of a rule that allows', () => {
  expect(matchesArguments({ path: 'docs/*' }, { path: `docs/${'x'.repeat(20_000)}` })).toBe(false);
});

test.each(['docs/../x', '../x', 'docs/..', 'docs\\..\\x', 'docs/%2e%2E/x', 'docs/%252e%252e%252fx', 'docs%2f..'])(
  '%s has the segment `..`',
  (path) => {
    expect(hasParentSegment(path)).toBe(true);
    expect(matchesArguments({ path: 'docs*' }, { path })).toBe(false);
  },
);

test.each(['docs/..a', 'docs/a..b', '...', 'docs/.hidden'])('%s does not have the segment `..`', (path) => {
  expect(hasParentSegment(path)).toBe(false);
});
