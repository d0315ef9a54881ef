import { expect, test } from 'vitest';
import { replaceTexts, textsOf, withoutDuplicates } from './carried-texts.ts';
import { jsonTextOf, parseExactly, parseJson, toJsonText } from './exact-json.ts';

test('the texts of a value are its texts, long numbers, and names that are no plain words', () => {
  const value = { a: 'x', list: ['y', 1, 123456789], 'ada@b.c': true, n: null, deep: { b: 'z' } };
  expect(textsOf(value)).toEqual([
    { text: 'x', name: 'a' },
    { text: 'y', name: 'list' },
    { text: '123456789', name: 'list' },
    { text: 'ada@b.c' },
    { text: 'z', name: 'b' },
  ]);
});

test('the data of images, sounds and files is no text', () => {
  const content = [
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'x:1', blob: 'BBBB' } },
    { type: 'text', data: 'kept' },
  ];
  const texts = textsOf(content).map(({ text }) => text);
  expect(texts).not.toContain('AAAA');
  expect(texts).not.toContain('BBBB');
  expect(texts).toContain('kept');
});

test('replaced texts leave everything else as it was, with all digits', () => {
  const value = parseJson('{"id":9007199254740993,"x":1.0,"a":"one","b":{"a@b.c":"two","c":[]}}') as object;
  const texts = textsOf(value).map(({ text }) => text);
  const replaced = replaceTexts(
    value,
    texts.map((text) => (text === 'two' ? '2' : text === 'a@b.c' ? 'name' : text)),
  );
  expect(toJsonText(replaced)).toBe('{"id":9007199254740993,"x":1.0,"a":"one","b":{"name":"2","c":[]}}');
  expect(replaceTexts(value, texts)).toBe(value);
  expect(replaceTexts(value, texts.slice(1))).toBeUndefined();
});

test('two names that become one both stay, and a number becomes a text', () => {
  const value = parseExactly('{"a@b":1,"c@d":2,"n":12345678901234567890}') as object;
  expect(replaceTexts(value, ['[x]', '[x]', '[n]'])).toEqual({ '[x]': 1, '[x] (2)': 2, n: '[n]' });
});

test('a value in which a name occurs twice is read as it is parsed', () => {
  const twice = parseJson('{"a":"hidden","a":"shown"}') as object;
  expect(jsonTextOf(withoutDuplicates(twice))).toBe('{"a":"shown"}');
  const once = parseJson('{"a":1.0}') as object;
  expect(withoutDuplicates(once)).toBe(once);
});
