import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { createMarkdownWriter } from './markdown-writer.ts';

/** The output for text that arrives in pieces of the given number of characters. */
function render(text: string, { size = text.length, width = 40, colors = false } = {}): string {
  let written = '';
  const writer = createMarkdownWriter({
    write: (part) => {
      written += part;
    },
    width: () => width,
    colors: pc.createColors(colors),
  });
  for (let at = 0; at < text.length; at += size) writer.add(text.slice(at, at + size));
  writer.end();
  return written;
}

const everything = `# What I found
Two *files*, of which one
is **important**:
- \`notes.txt\`, which is long enough that it does not fit
  and goes on
- [x] done
  1. nested
  2) other

  still of the item
> quoted text that is long enough to be broken
> twice
>> deeper

\`\`\`ts
const a = [1, 2];

\tif (a) b();
\`\`\`
| name | size |
|:-----|-----:|
| a.txt | **12** |
| b \\| c | 3 |
***
Not a #heading, not 1.a list, -nor this.
[docs](https://example.com/x)`;

test('headings, lists, quotes, code, tables and links are rendered for a terminal', () => {
  expect(render(everything)).toBe(
    [
      '# What I found',
      '',
      'Two files, of which one is important:',
      '• `notes.txt`, which is long enough that',
      '  it does not fit and goes on',
      '☑ done',
      '  1. nested',
      '  2) other',
      '',
      '  still of the item',
      '│ quoted text that is long enough to be',
      '│ broken twice',
      '│ │ deeper',
      '',
      '┌── ts',
      'const a = [1, 2];',
      '',
      '\tif (a) b();',
      '└──',
      'name  │ size',
      '──────┼─────',
      'a.txt │ 12',
      'b | c │ 3',
      '────────────────────────────────────────',
      'Not a #heading, not 1.a list, -nor this.',
      'docs (example.com)',
      '',
    ].join('\n'),
  );
});

test.each([1, 2, 3, 7, 50])('Markdown streamed in pieces of %i characters is rendered the same', (size) => {
  expect(render(everything, { size })).toBe(render(everything));
  expect(render(everything, { size, colors: true })).toBe(render(everything, { colors: true }));
});

test('a paragraph is streamed word by word and never redrawn', () => {
  const parts: string[] = [];
  const writer = createMarkdownWriter({
    write: (part) => parts.push(part),
    width: () => 80,
    colors: pc.createColors(true),
  });
  writer.add('One two thr');
  expect(parts.join('')).toBe('One two');
  writer.add('ee **fo');
  expect(parts.join('')).toBe('One two three');
  writer.add('ur** five\nsix');
  expect(parts.join('')).toBe('One two three \u001b[1mfour\u001b[22m five');
  writer.end();
  expect(parts.join('')).toBe('One two three \u001b[1mfour\u001b[22m five six\n');
  expect(parts.join('')).not.toContain('\r');
});

test('code is written line by line, and an unclosed block is closed at the end', () => {
  expect(render('```\na **b**\n  c')).toBe('┌──\na **b**\n  c\n└──\n');
  expect(render('- x\n  ~~~\n  in\n    side\n  ~~~\nafter')).toBe('• x\n  ┌──\n  in\n    side\n  └──\nafter\n');
});

test('emphasis, code and strikethrough are painted, also nested', () => {
  const colors = pc.createColors(true);
  const { bold, italic, strikethrough, cyan } = colors;
  expect(render('a **b** *c* _d_ ***e*** ~~f~~ `g` **x _y_ `z**`**', { width: 200, colors: true })).toBe(
    `a ${bold('b')} ${italic('c')} ${italic('d')} ${bold(italic('e'))} ${strikethrough('f')} ${cyan('g')} ` +
      `${bold('x')} ${bold(italic('y'))} ${cyan('z**')}\n`,
  );
});

test.each([
  'snake_case_name and __init__py',
  '2 * 3 * 4',
  'a ** b',
  'never **closed',
  'a `tick',
  '[no link] and [half](',
  'x < y and <b>',
  'wow!',
  '[1]: https://example.com',
  'Title\n=====',
])('text that only resembles markup is plain text: %s', (text) => {
  for (const size of [1, 100]) expect(render(text, { size, colors: true })).toBe(`${text.replace('\n', ' ')}\n`);
});

test.each([
  ['see [**the** docs](https://example.com/a "b")', 'see the docs (example.com)'],
  ['![x](https://evil.test/y)', 'x (evil.test)'],
  ['[https://bank.example](https://evil.test/)', 'https://bank.example (evil.test)'],
  ['[https://a.example/b](https://a.example/b)', 'https://a.example/b'],
  ['[here](docs/x.md)', 'here (docs/x.md)'],
  ['<https://a.example/b> and https://a.example/c', 'https://a.example/b and https://a.example/c'],
])('a link becomes its text and the host of its URL: %s', (text, shown) => {
  for (const size of [1, 100]) expect(render(text, { size, width: 80 })).toBe(`${shown}\n`);
});

test('a line break is a space, unless two spaces or a backslash precede it', () => {
  for (const size of [1, 100]) expect(render('a\nb  \nc\\\nd', { size })).toBe('a b\nc\nd\n');
});

test('thousands of unclosed marks are rendered as text', () => {
  for (const mark of ['[', '`', '*', '_', '<', '![', '> ', '- ']) {
    const text = `x ${mark.repeat(2_000)}`;
    expect(render(text, { size: 100, width: 100_000 })).toContain(mark.trim());
  }
});

test('a table that is too wide is written without aligned columns', () => {
  const text = `| a | b |\n|---|---|\n| ${'x'.repeat(30)} | ${'y'.repeat(30)} |`;
  expect(render(text)).toBe(`a │ b\n${'x'.repeat(30)} │ ${'y'.repeat(30)}\n`);
});

describe('text from a model or a server', () => {
  test.each([
    ['in text', 'a \u001b[2J\u202eb', 'a ⟨U+001B⟩[2J⟨U+202E⟩b\n'],
    ['in code', '```\n\u001b]0;x\u0007\n```', '┌──\n⟨U+001B⟩]0;x⟨U+0007⟩\n└──\n'],
    ['in a language', '```\u001b[31m\n```', '┌── ⟨U+001B⟩[31m\n└──\n'],
    ['in a table', '| \u001b[2J |\n|---|', '⟨U+001B⟩[2J\n───────────\n'],
    ['in a heading', '# \u001b[2J', '# ⟨U+001B⟩[2J\n'],
    ['in a link', '[a](https://b\u001b[2J)', '[a](https://b⟨U+001B⟩[2J)\n'],
    ['in the host of a link', '[a](https://b/\u202e)', 'a (b)\n'],
  ])('control characters %s are made visible [R18]', (_, text, shown) => {
    expect(render(text)).toBe(shown);
  });

  test('a carriage return is a line break, so that it cannot overwrite text', () => {
    expect(render('safe\rmalicious')).toBe('safe malicious\n');
  });

  test('emoji and non-Latin scripts are shown unchanged', () => {
    expect(render('👩‍💻 ❤️ 漢字', { size: 1 })).toBe('👩‍💻 ❤️ 漢字\n');
  });
});
