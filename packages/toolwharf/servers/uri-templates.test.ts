import { expect, test } from 'vitest';
import { isBroadTemplate, matchTemplate } from './uri-templates.ts';

test('a template matches the URIs it can expand to', () => {
  expect(matchTemplate('memo://{name}', 'memo://one')).toBe(true);
  expect(matchTemplate('test://template/{id}/data', 'test://template/123/data')).toBe(true);
  expect(matchTemplate('a://{x}/b/{y}', 'a://1/b/2')).toBe(true);
  expect(matchTemplate('fixed://uri', 'fixed://uri')).toBe(true);
  expect(matchTemplate('file:///{+path}', 'file:///a/b')).toBe(true);
  expect(matchTemplate('a://{+x}b{y}c', 'a://b/bc')).toBe(true);
  expect(matchTemplate('search://all{?q,limit}', 'search://all?q=a/b')).toBe(true);
});

test('a template does not match other URIs, regardless of their length', () => {
  expect(matchTemplate('memo://{name}', 'note://one')).toBe(false);
  expect(matchTemplate('test://{id}/data', 'test://1/other')).toBe(false);
  expect(matchTemplate('a://{x}/b/{y}', 'a://1')).toBe(false);
  expect(matchTemplate('memo://{name}', 'memo://one/two')).toBe(false);
  expect(matchTemplate('memo://{name}', 'memo://one/two', true)).toBe(true);
  expect(matchTemplate(`a${'{x}a'.repeat(50)}!`, 'a'.repeat(100_000))).toBe(false);
  expect(matchTemplate(`a${'{x}a'.repeat(5_000)}`, 'a'.repeat(8_000))).toBe(false);
});

test('a template that names only a scheme is broad', () => {
  for (const template of [
    '{+uri}',
    'lab://{+x}',
    'file:///{+path}',
    '{scheme}://a',
    'lab://{a}{+b}',
    'lab://{a}/{+b}',
    'file:///{a}{+b}',
    'lab://{a}/{b}/{+c}',
    'la{+x}',
    'lab{+x}',
  ])
    expect(isBroadTemplate(template)).toBe(true);
  for (const template of ['lab://{x}', 'lab://open/{+x}', 'lab://{a}/open/{+x}', 'lab://fixed'])
    expect(isBroadTemplate(template)).toBe(false);
});
