import { expect, test } from 'vitest';
import { lineDifference } from './connect.ts';

test('equal texts have no difference', () => {
  expect(lineDifference('a\nb\n', 'a\nb\n')).toEqual([]);
});

test('changed lines are shown with the lines around them', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7'].join('\n');
  expect(lineDifference(before, before.replace('4', '4,\n4b'))).toEqual([
    '@@ -2,5 +2,6 @@',
    ' 2',
    ' 3',
    '-4',
    '+4,',
    '+4b',
    ' 5',
    ' 6',
  ]);
});

test('a new file has only added lines, and repeated lines are matched once', () => {
  expect(lineDifference('', 'a\nb\n')).toEqual(['@@ -1,0 +1,2 @@', '+a', '+b']);
  expect(lineDifference('}\n}\n', '}\n}\n}\n')).toEqual(['@@ -1,2 +1,3 @@', ' }', ' }', '+}']);
});
