import { expect, test } from 'vitest';
import { parseInline, type Span } from './parse-inline.ts';

const whole = (text: string) => parseInline(text, { isWhole: true }).spans;

test('emphasis, code and strikethrough are parsed, also nested', () => {
  expect(whole('a **b** *c* _d_ ***e*** ~~f~~ `g`')).toEqual([
    { text: 'a ' },
    { text: 'b', bold: true },
    { text: ' ' },
    { text: 'c', italic: true },
    { text: ' ' },
    { text: 'd', italic: true },
    { text: ' ' },
    { text: 'e', bold: true, italic: true },
    { text: ' ' },
    { text: 'f', struck: true },
    { text: ' ' },
    { text: 'g', code: true },
  ]);
  expect(whole('**a _b_ `c**`**')).toEqual([
    { text: 'a ', bold: true },
    { text: 'b', bold: true, italic: true },
    { text: ' ', bold: true },
    { text: 'c**', code: true },
  ]);
  expect(whole('`` a`b ``')).toEqual([{ text: 'a`b', code: true }]);
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
  '~one~',
])('text that only resembles markup is plain text: %s', (text) => {
  expect(
    whole(text)
      .map((span) => span.text)
      .join(''),
  ).toBe(text);
  expect(whole(text).every((span) => Object.keys(span).length === 1)).toBe(true);
});

test('an escaped character is plain text', () => {
  expect(whole('\\*a\\* \\n')).toEqual([{ text: '*' }, { text: 'a' }, { text: '*' }, { text: ' \\n' }]);
});

test('a link becomes its text and the host of its URL', () => {
  expect(whole('see [**the** docs](https://example.com/a "b") ![x](https://evil.test/y)')).toEqual([
    { text: 'see ' },
    { text: 'the', bold: true },
    { text: ' docs' },
    { text: ' (example.com)', dim: true },
    { text: ' ' },
    { text: 'x' },
    { text: ' (evil.test)', dim: true },
  ]);
  // What the text says it leads to does not matter.
  expect(whole('[https://bank.example](https://evil.test/)').at(-1)).toEqual({ text: ' (evil.test)', dim: true });
  expect(whole('[https://a.example/b](https://a.example/b)')).toEqual([{ text: 'https://a.example/b' }]);
  expect(whole('[here](docs/x.md)').at(-1)).toEqual({ text: ' (docs/x.md)', dim: true });
  expect(whole('<https://a.example/b>')).toEqual([{ text: 'https://a.example/b' }]);
});

test('a line break is a space, unless two spaces or a backslash precede it', () => {
  expect(whole('a\nb  \nc\\\nd')).toEqual([
    { text: 'a' },
    { text: ' ' },
    { text: 'b' },
    { text: '', lineBreak: true },
    { text: 'c' },
    { text: '', lineBreak: true },
    { text: 'd' },
  ]);
});

test('parsing a growing text piece by piece gives the same spans as parsing it whole', () => {
  const texts = [
    'say **hello you** and `co``de` or [x](https://a.b/c) now_and_then _so_ \\* <https://a.b> !',
    'a ***b*** *',
  ];
  for (const text of texts) {
    const spans: Span[] = [];
    let from = 0;
    for (let length = 1; length <= text.length; length++) {
      const reading = parseInline(text.slice(0, length), { isWhole: false, from });
      spans.push(...reading.spans);
      from = reading.end;
    }
    spans.push(...parseInline(text, { isWhole: true, from }).spans);
    expect(joined(spans)).toEqual(joined(whole(text)));
  }
  expect(parseInline('a **b', { isWhole: false })).toEqual({ spans: [{ text: 'a ' }], end: 2 });
});

test('unclosed markup is held back up to a limit and then treated as plain text', () => {
  const long = `**${'x'.repeat(600)}`;
  expect(parseInline(long, { isWhole: false }).end).toBe(long.length);
  for (const mark of ['[', '`', '*', '_', '<', '!['])
    expect(joined(whole(mark.repeat(50_000)))[0]?.text).toHaveLength(mark.length * 50_000);
});

/** Neighbours of one style as one. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  const styleOf = ({ text: _, ...style }: Span) => JSON.stringify(style);
  for (const span of spans) {
    const last = result.at(-1);
    if (last && styleOf(last) === styleOf(span)) result.splice(-1, 1, { ...span, text: last.text + span.text });
    else result.push(span);
  }
  return result;
}
