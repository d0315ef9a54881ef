import { expect, test } from 'vitest';
import { emptyDraft, type RegistryInput, readValue, toValues, withValue } from './install-draft.ts';

const input = (key: string, more: Partial<RegistryInput> = {}): RegistryInput => ({
  key,
  isRequired: false,
  isSecret: false,
  ...more,
});

test('a field has its default until a value is typed', () => {
  const region = input('REGION', { default: 'eu' });
  expect(readValue(emptyDraft, region)).toBe('eu');
  expect(readValue(withValue(emptyDraft, 'REGION', 'us'), region)).toBe('us');
  expect(readValue(withValue(emptyDraft, 'REGION', ''), region)).toBe('');
});

test('a default that is not among the choices is ignored', () => {
  expect(readValue(emptyDraft, input('SIZE', { default: 'huge', choices: ['small', 'big'] }))).toBe('');
  expect(readValue(emptyDraft, input('SIZE', { default: 'big', choices: ['small', 'big'] }))).toBe('big');
});

test('each install option keeps its own values', () => {
  const draft = withValue(emptyDraft, 'KEY', 'PLANTED');
  expect(readValue({ ...draft, optionIndex: 1 }, input('KEY'))).toBe('');
  const both = withValue({ ...draft, optionIndex: 1 }, 'KEY', 'other');
  expect(readValue({ ...both, optionIndex: 0 }, input('KEY'))).toBe('PLANTED');
});

test('only requested and filled-in values are sent', () => {
  const draft = withValue(withValue(emptyDraft, 'KEY', 'x'), 'GONE', 'y');
  const inputs = [input('KEY'), input('REGION', { default: 'eu' }), input('NOTE')];
  expect(toValues(draft, inputs)).toEqual({ KEY: 'x', REGION: 'eu' });
});

test('keys such as __proto__ are ordinary keys', () => {
  const inputs = [input('__proto__'), input('constructor')];
  expect(readValue(emptyDraft, input('constructor'))).toBe('');
  expect(JSON.stringify(toValues(withValue(emptyDraft, '__proto__', 'x'), inputs))).toBe('{"__proto__":"x"}');
});
