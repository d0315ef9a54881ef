import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDisplayText } from '../../packages/toolwharf/policy/display-text.ts';
import { safeText } from '../../packages/web/src/components/safe-text.ts';

const samples = [
  'plain\ttext\r\nof two lines',
  'a\u202eb\u200bc\u2028d\u3164e\ufe0ff\u{e0041}',
  '❤️ 👩‍💻 1️⃣ \u200d',
  '\u001b[31mred\u0000\ud800',
];

test('the web app escapes the same characters as the command line', () => {
  for (const text of samples) expect(safeText(text)).toBe(toDisplayText(text, { maxLength: 20_000 }));
  const anyText = fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), fc.constantFrom(...samples)),
  });
  fc.assert(
    fc.property(anyText, fc.nat(20), (text, maxLength) => {
      expect(safeText(text, maxLength)).toBe(toDisplayText(text, { maxLength }));
    }),
  );
});
