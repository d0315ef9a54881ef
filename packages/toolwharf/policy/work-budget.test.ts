import { expect, test } from 'vitest';
import { createWorkBudget, SafePattern, WorkExceeded } from './work-budget.ts';

test('spending more than the budget throws, and each run starts with a full budget', () => {
  const budget = createWorkBudget();
  expect(budget.within(10, () => budget.spend(10))).toBeUndefined();
  expect(() => budget.within(10, () => budget.spend(11))).toThrow(WorkExceeded);
  expect(() => budget.spend(1)).toThrow(WorkExceeded);
  expect(budget.within(1, () => 'again')).toBe('again');
});

test('slow work costs more, and the factor is reset after a failure', () => {
  const budget = createWorkBudget();
  expect(() => budget.within(10, () => budget.slowly(() => budget.spend(1)))).toThrow(WorkExceeded);
  budget.within(10, () => budget.spend(10));
});

test('a pattern runs in bounded work on any text, with the search semantics of JSON Schema', () => {
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

test('a pattern that RE2 does not support is rejected', () => {
  const budget = createWorkBudget();
  for (const pattern of ['(?=a)b', '(?<!a)b', '(a)\\1', '(', 'a{2000}'])
    expect(SafePattern.from(pattern, budget)).toBeUndefined();
});
