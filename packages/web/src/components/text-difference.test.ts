import { describe, expect, test } from 'vitest';
import { textDifference } from './text-difference.ts';

const shown = (before: string, after: string) =>
  textDifference(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `[+${text}]` : `[-${text}]`))
    .join('');

describe('the difference of two texts', () => {
  test('the difference of two texts marks the words that were added and removed', () => {
    expect(shown('Reads a file', 'Deletes a file')).toBe('[-Reads][+Deletes] a file');
    expect(shown('Reads a file', 'Reads a file, then sends it away')).toBe('Reads a file[+, then sends it away]');
    expect(shown('Reads a big file', 'Reads a file')).toBe('Reads a [-big ]file');
  });

  test('the difference of two texts marks nothing in equal texts and everything in a text that is new or gone', () => {
    expect(shown('same words', 'same words')).toBe('same words');
    expect(shown('', 'all new')).toBe('[+all new]');
    expect(shown('all gone', '')).toBe('[-all gone]');
    expect(shown('', '')).toBe('');
  });

  test('the difference of two texts marks an escaped invisible character alone', () => {
    expect(shown('read file', 'read⟨U+200B⟩ file')).toBe('read[+⟨U+200B⟩] file');
  });

  test('the difference of two texts contains both texts completely', () => {
    const texts = ['a b c', 'c b a', 'x  y\n\nz', '{"type":"string"}', '{\n  "type": "number"\n}', '👩‍💻 ok', ''];
    for (const before of texts) {
      for (const after of texts) {
        const pieces = textDifference(before, after);
        const side = (left: 'added' | 'removed') =>
          pieces
            .filter(({ kind }) => kind !== left)
            .map(({ text }) => text)
            .join('');
        expect(side('added')).toBe(before);
        expect(side('removed')).toBe(after);
      }
    }
  });

  test('the difference of two texts is one removed and one added piece where texts differ too much', () => {
    const before = Array.from({ length: 5_000 }, (_, at) => `old${at}`).join(' ');
    const after = Array.from({ length: 5_000 }, (_, at) => `new${at}`).join(' ');
    expect(textDifference(before, after)).toEqual([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]);
  });
});
