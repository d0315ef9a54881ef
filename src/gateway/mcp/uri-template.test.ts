import { expect, test } from 'vitest';
import { matchTemplate } from './uri-template.ts';

test('a template matches the URIs it can expand to', () => {
  expect(matchTemplate('memo://{name}', 'memo://one')).toBe(true);
  expect(matchTemplate('test://template/{id}/data', 'test://template/123/data')).toBe(true);
  expect(matchTemplate('a://{x}/b/{y}', 'a://1/b/2')).toBe(true);
  expect(matchTemplate('fixed://uri', 'fixed://uri')).toBe(true);
});

test('a template does not match other URIs, regardless of their length', () => {
  expect(matchTemplate('memo://{name}', 'note://one')).toBe(false);
  expect(matchTemplate('test://{id}/data', 'test://1/other')).toBe(false);
  expect(matchTemplate('a://{x}/b/{y}', 'a://1')).toBe(false);
  expect(matchTemplate(`a${'{x}a'.repeat(50)}!`, 'a'.repeat(100_000))).toBe(false);
});
