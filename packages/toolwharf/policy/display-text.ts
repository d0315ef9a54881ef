export interface DisplayOptions {
  /** Maximum length; a longer text is shortened and marked. */
  readonly maxLength: number;
}

// Characters that move the cursor, reorder text or are invisible, except newline and tab.
const unseen = new RegExp(
  [
    '[\\p{Cc}--[\\n\\t]]', // control characters, with them the start of every ANSI escape
    '\\p{Cf}', // bidirectional controls, zero-width characters, tags
    '[\\u{2028}\\u{2029}]', // line and paragraph separators
    '\\p{Default_Ignorable_Code_Point}', // fillers, and variation selectors, which can carry hidden bytes
  ].join('|'),
  'gv',
);

// Variation selectors and joiners are expected only inside an emoji, as in ❤️ and 👩‍💻.
const emojiJoiner = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/u;
const emojiSelector = /(?<=[\p{Extended_Pictographic}#*0-9])\ufe0f/u;
const seen = new RegExp(`${emojiJoiner.source}|${emojiSelector.source}`, 'gu');

/**
 * Makes a server's text safe to show: invisible, cursor-moving and reordering characters are escaped (`⟨U+202E⟩`), lone
 * surrogates become `�`, and a shortened text is marked.
 */
export function toDisplayText(text: string, { maxLength }: DisplayOptions): string {
  const shown = cut(text, maxLength);
  const visible = makeVisible(shown.toWellFormed().replaceAll('\r\n', '\n'));
  if (shown.length === text.length) return visible;
  return `${visible}\n[cut: ${shown.length} of ${text.length} characters shown]`;
}

/** Whether `toDisplayText` would have to escape characters. */
export function hasUnseenCharacters(text: string): boolean {
  return makeVisible(text) !== text;
}

// Fast path: most texts have only visible characters.
const plain = /^[\n\t\x20-\x7e]*$/;

function makeVisible(text: string): string {
  if (plain.test(text)) return text;
  const kept = new Set<number>();
  for (const match of text.matchAll(seen)) kept.add(match.index);
  return text.replace(unseen, (character, ...rest) => {
    const index: unknown = rest.find((part) => typeof part === 'number');
    return kept.has(index as number) ? character : codePointName(character);
  });
}

function codePointName(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}

/** Never splits a surrogate pair. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? maxLength - 1 : maxLength);
}
