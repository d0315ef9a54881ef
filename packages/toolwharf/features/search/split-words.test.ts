import { expect, test } from 'vitest';
import { splitWords } from './split-words.ts';

const textsOf = (text: string) => splitWords(text).map((word) => word.text);

test.each([
  ['getUserById', ['user', 'id']],
  ['list-files', ['list', 'files']],
  ['read_text_file', ['read', 'text', 'file']],
  ['HTTPServer2', ['http', 'server']],
  ['oauth20Token', ['oauth', '20', 'token']],
])('the identifier %s is split into its words', (text, words) => {
  expect(textsOf(text)).toEqual(words);
});

test('stop words and single letters are left out', () => {
  expect(textsOf('Use this to get a list of the files')).toEqual(['list', 'files']);
});

test('text without spaces is split into pairs of characters', () => {
  expect(textsOf('获取天气')).toEqual(['获取', '取天', '天气']);
});

test('letters with marks are one word, and composed and decomposed letters are the same', () => {
  expect(textsOf('मौसम का पूर्वानुमान')).toEqual(['मौसम', 'का', 'पूर्वानुमान']);
  expect(textsOf('caf\u0065\u0301')).toEqual(['caf\u00e9']);
});

test('accents of Latin letters do not count, and words of other alphabets are kept whole', () => {
  expect(splitWords('Grüße café')).toEqual([
    { text: 'grüße', term: 'gruss' },
    { text: 'café', term: 'cafe' },
  ]);
  expect(splitWords('погоды')).toEqual([{ text: 'погоды', term: 'погоды' }]);
});
