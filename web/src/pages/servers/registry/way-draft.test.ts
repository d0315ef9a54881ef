import { expect, test } from 'vitest';
import { emptyDraft, type RegistryInput, shownValue, toValues, withValue } from './way-draft.ts';

const input = (key: string, more: Partial<RegistryInput> = {}): RegistryInput => ({
  key,
  isRequired: false,
  isSecret: false,
  ...more,
});

test('a field begins with its default, and what is typed takes its place', () => {
  const region = input('REGION', { default: 'eu' });
  expect(shownValue(emptyDraft, region)).toBe('eu');
  expect(shownValue(withValue(emptyDraft, 'REGION', 'us'), region)).toBe('us');
  expect(shownValue(withValue(emptyDraft, 'REGION', ''), region)).toBe('');
});

test('a default that is none of the choices is not chosen', () => {
  expect(shownValue(emptyDraft, input('SIZE', { default: 'huge', choices: ['small', 'big'] }))).toBe('');
  expect(shownValue(emptyDraft, input('SIZE', { default: 'big', choices: ['small', 'big'] }))).toBe('big');
});

test('what is typed for one way is not filled in for another, and is there again on coming back', () => {
  const draft = withValue(emptyDraft, 'KEY', 'PLANTED');
  expect(shownValue({ ...draft, way: 1 }, input('KEY'))).toBe('');
  const both = withValue({ ...draft, way: 1 }, 'KEY', 'other');
  expect(shownValue({ ...both, way: 0 }, input('KEY'))).toBe('PLANTED');
});

test('only what is filled in and asked for is sent', () => {
  const draft = withValue(withValue(emptyDraft, 'KEY', 'x'), 'GONE', 'y');
  const inputs = [input('KEY'), input('REGION', { default: 'eu' }), input('NOTE')];
  expect(toValues(draft, inputs)).toEqual({ KEY: 'x', REGION: 'eu' });
});

test('a key is only a key, whatever it is called', () => {
  const inputs = [input('__proto__'), input('constructor')];
  expect(shownValue(emptyDraft, input('constructor'))).toBe('');
  expect(JSON.stringify(toValues(withValue(emptyDraft, '__proto__', 'x'), inputs))).toBe('{"__proto__":"x"}');
});
