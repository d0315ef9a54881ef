import { expect, test } from 'vitest';
import { setInYaml } from './edit-yaml.ts';

const path = ['extensions', 'toolwharf'];

test('a value is added to a YAML file, and comments and order stay', () => {
  const before = '# mine\nGOOSE_MODEL: x # fast\nextensions:\n  developer:\n    enabled: true\n';
  expect(setInYaml(before, path, { uri: 'http://x' })).toBe(`${before}  toolwharf:\n    uri: http://x\n`);
  expect(setInYaml('', path, { uri: 'http://x' })).toBe('extensions:\n  toolwharf:\n    uri: http://x\n');
});

test('a value in a YAML file is replaced, and an equal one leaves the text as it is', () => {
  const before = 'extensions:\n  toolwharf: { uri:   "http://x" }\n';
  expect(setInYaml(before, path, { uri: 'http://x' })).toBe(before);
  expect(setInYaml(before, path, { uri: 'http://y' })).toBe('extensions:\n  toolwharf:\n    uri: http://y\n');
});

test.each([
  ['extensions: 5\n', "'extensions' must be a map"],
  ['- a\n', 'the file must be a map'],
  ['a: [1\n', 'line 2, column 1'],
])('the YAML file %j is rejected', (text, message) => {
  expect(() => setInYaml(text, path, {})).toThrow(message);
});
