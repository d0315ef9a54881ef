import { expect, test } from 'vitest';
import { splitMarkdown } from './split-markdown.ts';

test('paragraphs and fenced code become blocks of their own', () => {
  expect(splitMarkdown('One\nline.\n\nTwo.\n```ts\nconst a = 1;\n\nconst b = 2;\n```\nThree.')).toEqual([
    { kind: 'markdown', text: 'One\nline.\n' },
    { kind: 'markdown', text: 'Two.' },
    { kind: 'code', language: 'ts', text: 'const a = 1;\n\nconst b = 2;' },
    { kind: 'markdown', text: 'Three.' },
  ]);
});

test('an unclosed fence makes the rest of the text code', () => {
  expect(splitMarkdown('~~~\n```\nnot the end').at(-1)).toEqual({ kind: 'code', text: '```\nnot the end' });
});

test('a list with blank lines, paragraphs and code inside stays together', () => {
  const list = '1. one\n\n   more\n\n   ```\n   a\n\n   b\n   ```\n\n2. two';
  expect(splitMarkdown(`${list}\n\nAfter.`)).toEqual([
    { kind: 'markdown', text: `${list}\n` },
    { kind: 'markdown', text: 'After.' },
  ]);
});

test('a long list is split between its entries', () => {
  const blocks = splitMarkdown('- an entry of some length\n'.repeat(1_000));
  expect(blocks.length).toBeGreaterThan(3);
  expect(blocks.every(({ kind, text }) => kind === 'markdown' && text.startsWith('- '))).toBe(true);
});

test('text that is appended leaves the earlier pieces unchanged', () => {
  const text = 'One.\n\n- a\n- b\n\nTwo.\n\n```js\nx\n```\n\nThree *and* more.\n\n> four';
  const last = splitMarkdown(text);
  for (let end = 1; end < text.length; end++) {
    const now = splitMarkdown(text.slice(0, end));
    // The last two may still change: a blank line ends nothing until what follows it is there.
    for (const [index, block] of now.slice(0, -2).entries()) expect(block).toEqual(last[index]);
  }
});

test('a text that defines its links at the end is not cut', () => {
  expect(splitMarkdown('See [this][1].\n\n[1]: https://example.com')).toHaveLength(1);
});

test('very long or deeply nested text is plain text', () => {
  expect(splitMarkdown('x'.repeat(30_000))[0]?.kind).toBe('plain');
  expect(splitMarkdown('>'.repeat(5_000))[0]?.kind).toBe('plain');
  expect(splitMarkdown('- '.repeat(5_000))[0]?.kind).toBe('plain');
});
