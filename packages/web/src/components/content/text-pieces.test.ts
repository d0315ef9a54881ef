import { describe, expect, test } from 'vitest';
import { fileName } from './save-file.ts';
import { isMarkdown, parseJsonText } from './text-kinds.ts';
import { piecesOf } from './text-pieces.ts';

describe('long texts', () => {
  test('the pieces of a text make up the whole text', () => {
    const text = 'abc😀def\r\nghi';
    for (let size = 1; size < 20; size++) expect(piecesOf(text, size, 100).join('')).toBe(text);
    expect(piecesOf('x'.repeat(250), 100, 2)).toEqual(['x'.repeat(100), 'x'.repeat(100)]);
  });

  test('a text is never split inside a character or a line ending', () => {
    expect(piecesOf('a😀b', 2, 9)).toEqual(['a', '😀', 'b']);
    expect(piecesOf('ab\r\ncd', 3, 9)).toEqual(['ab', '\r\nc', 'd']);
  });
});

describe('kinds of text', () => {
  test('JSON is an object or a list, and nothing else', () => {
    expect(parseJsonText(' {"a": 1}')).toEqual({ a: 1 });
    expect(parseJsonText('[1]')).toEqual([1]);
    expect(parseJsonText('5')).toBeUndefined();
    expect(parseJsonText('{broken')).toBeUndefined();
  });

  test('Markdown is recognised by its signs or its name', () => {
    expect(isMarkdown('# Title\ntext')).toBe(true);
    expect(isMarkdown('see [here](https://a.example)')).toBe(true);
    expect(isMarkdown('a plain sentence, 3 * 4 = 12')).toBe(false);
    expect(isMarkdown('a plain sentence', 'text/markdown; charset=utf-8')).toBe(true);
  });
});

test('a file name is the last part of a URL, reduced to harmless characters', () => {
  expect(fileName('file:///home/ada/notes.txt')).toBe('notes.txt');
  expect(fileName('https://x.example/a/b/?q=1#x')).toBe('b');
  expect(fileName('../../.bashrc')).toBe('bashrc');
  expect(fileName('..\\..\\con\u202Egpj.exe')).toBe('con_gpj.exe');
  expect(fileName('')).toBe('result');
});
