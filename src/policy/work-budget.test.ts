import { expect, test } from 'vitest';
import { createWorkBudget, SafePattern, WorkExceeded } from './work-budget.ts';

test('spending more than there is throws, and each run starts afresh', () => {
  const budget = createWorkBudget();
  expect(budget.within(10, () => budget.spend(10))).toBeUndefined();
  expect(() => budget.within(10, () => budget.spend(11))).toThrow(WorkExceeded);
  expect(() => budget.spend(1)).toThrow(WorkExceeded);
  expect(budget.within(1, () => 'again')).toBe('again');
});

test('slow work counts for more, also after it failed', () => {
  const budget = createWorkBudget();
  expect(() => budget.within(10, () => budget.slowly(() => budget.spend(1)))).toThrow(WorkExceeded);
  budget.within(10, () => budget.spend(10));
});

test('a pattern runs on any text in bounded work, and searches like a schema’s pattern does', () => {
  const budget = createWorkBudget();
  const matches = (pattern: string, text: string) =>
    budget.within(1e6, () => SafePattern.from(pattern, budget)?.test(text));
  expect(matches('b+', 'abbc')).toBe(true);
  expect(matches('^b', 'abbc')).toBe(false);
  expect(matches('^(a+)+$', `${'a'.repeat(50_000)}b`)).toBe(false);
  expect(matches('^\\p{L}+$', 'Grüße')).toBe(true);
  expect(matches('\\u0041', 'xAx')).toBe(true);
  expect(() => budget.within(100, () => SafePattern.from('a.{50}b', budget)?.test('a'.repeat(10_000)))).toThrow(
    WorkExceeded,
  );
});

test('what RE2 does not run is not a pattern', () => {
  const budget = createWorkBudget();
  for (const pattern of ['(?=a)b', '(?<!a)b', '(a)\\1', '(', 'a{2000}'])
    expect(SafePattern.from(pattern, budget)).toBeUndefined();
});
