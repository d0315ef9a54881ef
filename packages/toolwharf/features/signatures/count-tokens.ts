/**
 * Estimates how many tokens a model counts for a text of English, identifiers and JSON. Providers have their own tokenizers,
 * and those that can be downloaded are larger than Toolwharf. `npm run bench:search` measures the error.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let kind = space;
  let length = 0;
  for (let at = 0; at <= text.length; at++) {
    const next = at < text.length ? kindOf(text.charCodeAt(at)) : end;
    if (next === kind) length++;
    else {
      tokens += costOf(kind, length);
      kind = next;
      length = 1;
    }
  }
  return Math.ceil(tokens);
}

const space = 0;
const letter = 1;
const digit = 2;
const sign = 3;
const ideograph = 4;
const otherLetter = 5;
const end = 6;

function kindOf(code: number): number {
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return letter;
  if (code >= 0x30 && code <= 0x39) return digit;
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return space;
  if (code < 0x80 || (code >= 0x2000 && code < 0x2e80)) return sign;
  return code >= 0x2e80 && code < 0xd800 ? ideograph : otherLetter;
}

/** Most English words are one token, as are up to three digits and most sequences of punctuation. */
function costOf(kind: number, length: number): number {
  switch (kind) {
    case letter:
      return 1 + 0.1 * Math.max(0, length - 7);
    case digit:
      return Math.ceil(length / 3);
    case sign:
      return 1 + 0.05 * length;
    case ideograph:
      return 0.7 * length;
    case otherLetter:
      return 0.3 * length;
    default:
      // One space belongs to the word after it.
      return length > 1 ? 1 : 0;
  }
}
