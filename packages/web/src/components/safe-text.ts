import { isRawNumber } from '../../../contract/exact-json.ts';

// Characters that are invisible, move the cursor or reorder text. The command line has the same rule, and a test compares them.
const unsafe = new RegExp(
  [
    '[\\p{Cc}--[\\n\\t]]', // control characters
    '\\p{Cf}', // bidirectional controls, zero-width characters, tags
    '[\\u{2028}\\u{2029}]', // line and paragraph separators
    '\\p{Default_Ignorable_Code_Point}', // fillers, and variation selectors, which can carry hidden bytes
  ].join('|'),
  'gv',
);

// Joiners and selectors inside one emoji, as in ❤️ and 👩‍💻, are safe.
const emojiParts =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Extended_Pictographic}#*0-9])\ufe0f/gu;

/** Text of a server or a model, safe to show: unsafe characters are written as `⟨U+202E⟩`, and a cut is stated. */
export function safeText(value: unknown, maxLength = 20_000): string {
  const text = isRawNumber(value) ? value.rawJSON : String(value ?? '');
  if (text.length <= maxLength) return escapeUnsafe(text);
  const isHighSurrogate = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  const shown = text.slice(0, isHighSurrogate ? maxLength - 1 : maxLength);
  return `${escapeUnsafe(shown)}\n[cut: ${shown.length} of ${text.length} characters shown]`;
}

function escapeUnsafe(received: string): string {
  const text = received.toWellFormed().replaceAll('\r\n', '\n');
  if (/^[\n\t\x20-\x7e]*$/.test(text)) return text;
  const safeAt = new Set([...text.matchAll(emojiParts)].map(({ index }) => index));
  return text.replace(unsafe, (character, index: number) => {
    if (safeAt.has(index)) return character;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
