import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDisplayText } from './display-text.ts';

const show = (text: string) => toDisplayText(text, { maxLength: 1000 });

test('ordinary text of any language is unchanged, including newlines and tabs [R18]', () => {
  for (const text of ['Hello,\n\tworld', 'Grüße, 世界, שלום, नमस्ते', 'a  b', '', '❤️ 👩‍💻 👍🏽 🇪🇺 1️⃣', 'x\u00a0y'])
    expect(show(text)).toBe(text);
});

test('ANSI escapes are shown as text [R18]', () => {
  expect(show('\u001b[31mred\u001b[0m')).toBe('⟨U+001B⟩[31mred⟨U+001B⟩[0m');
  expect(show('\u009b2J')).toBe('⟨U+009B⟩2J');
  expect(show('safe\rrm -rf')).toBe('safe⟨U+000D⟩rm -rf');
  expect(show('a\u0000b\u0008c\u007f')).toBe('a⟨U+0000⟩b⟨U+0008⟩c⟨U+007F⟩');
});

test('Windows line endings are treated as line breaks', () => {
  expect(show('a\r\nb')).toBe('a\nb');
});

test('text cannot be reordered or hidden [R18]', () => {
  expect(show('exe\u202egpj.\u202c')).toBe('exe⟨U+202E⟩gpj.⟨U+202C⟩');
  expect(show('\u2066x\u2069')).toBe('⟨U+2066⟩x⟨U+2069⟩');
  expect(show('pay\u200bpal\ufeff\u2060\u00ad')).toBe('pay⟨U+200B⟩pal⟨U+FEFF⟩⟨U+2060⟩⟨U+00AD⟩');
  expect(show('hi\u{e0041}\u{e007f}')).toBe('hi⟨U+E0041⟩⟨U+E007F⟩');
  expect(show('a\u2028b\u3164')).toBe('a⟨U+2028⟩b⟨U+3164⟩');
});

test('joiners and variation selectors are shown unless they are part of one emoji', () => {
  expect(show('a\u200db')).toBe('a⟨U+200D⟩b');
  expect(show('a\ufe0f')).toBe('a⟨U+FE0F⟩');
  expect(show('❤\ufe0f\ufe0f\ufe01')).toBe('❤\ufe0f⟨U+FE0F⟩⟨U+FE01⟩');
  expect(show('😀\u{e0100}')).toBe('😀⟨U+E0100⟩');
});

test('a lone surrogate is replaced', () => {
  expect(show('a\ud800b')).toBe('a\ufffdb');
});

test('a shortened text is marked and never splits a character', () => {
  expect(toDisplayText('abcdef', { maxLength: 4 })).toBe('abcd\n[cut: 4 of 6 characters shown]');
  expect(toDisplayText('abc😀def', { maxLength: 4 })).toBe('abc\n[cut: 3 of 8 characters shown]');
  expect(toDisplayText('abcd', { maxLength: 4 })).toBe('abcd');
});

test('the output never contains invisible characters', () => {
  const nasty = fc.string({
    unit: fc.oneof(fc.integer({ min: 0, max: 0x10ffff }).map((c) => String.fromCodePoint(c))),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      const shown = show(text).replaceAll(/[\u200d\ufe0f]/g, '');
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toMatch(/[\p{Cf}\u2028\u2029]/u);
      expect(shown).not.toMatch(/(?![\n\t])\p{Cc}/u);
    }),
    { numRuns: 500 },
  );
});
