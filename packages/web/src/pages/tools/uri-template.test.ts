import { describe, expect, test } from 'vitest';
import { expandTemplate, listVariables } from './uri-template.ts';

describe('URI templates', () => {
  test.each([
    ['memo://{name}', { name: 'a b/c' }, 'memo://a%20b%2Fc'],
    ['file:///{+path}', { path: 'a/b.txt' }, 'file:///a/b.txt'],
    ['x://search{?q,limit}', { q: 'a&b', limit: '5' }, 'x://search?q=a%26b&limit=5'],
    ['x://search{?q,limit}', { limit: '5' }, 'x://search?limit=5'],
    ['x://search?a=1{&q}', { q: 'b' }, 'x://search?a=1&q=b'],
    ['x://{host}{/path*}{#part}', { host: 'h', path: 'p', part: 'top' }, 'x://h/p#top'],
    ['x://{name:3}', {}, 'x://'],
    ['plain://nothing', { name: 'x' }, 'plain://nothing'],
    ['{toString}', {}, ''],
  ])('%s with %j expands to %s', (template, values, expected) => {
    expect(expandTemplate(template, values)).toBe(expected);
  });

  test('the variables of a template are listed once each', () => {
    expect(listVariables('x://{a}/{+b}{?a,c*}{d:4}')).toEqual(['a', 'b', 'c', 'd']);
    expect(listVariables('x://nothing')).toEqual([]);
  });
});
