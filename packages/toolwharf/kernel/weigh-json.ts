/** The memory and the work that a JSON text needs once it is parsed. */
export interface JsonWeight {
  /** The deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Approximate bytes of the parsed value. */
  readonly bytes: number;
  /** The members of all objects, duplicates included. */
  readonly members: number;
  /** The elements of arrays and members of objects; nested arrays and objects count twice, and long numbers four times. */
  readonly values: number;
}

/** Weighs a JSON text that arrives in parts. */
export interface JsonScale extends JsonWeight {
  add(part: Uint8Array): void;
}

const containerBytes = 64;
const memberBytes = 16;
const quote = 0x22;
const backslash = 0x5c;
/** Numbers of more characters may have more digits than JavaScript's numbers, which take longer to compare and hash. */
const shortNumber = 16;
const valuesPerLongNumber = 4;
// Searching a long string natively is faster; starting the search costs as much as looking at a few bytes.
const shortString = 32;

/** Weighs a JSON text part by part, without parsing it. The text need not be valid. */
export function createJsonScale(): JsonScale {
  let length = 0;
  let depth = 0;
  let deepest = 0;
  let containers = 0;
  let members = 0;
  let commas = 0;
  let longNumbers = 0;
  /** The characters since the last one that can be no part of a number. */
  let numberLength = 0;
  let isInString = false;
  let isEscaped = false;

  /** The position after the string that `at` is inside of, or the end of the part. */
  function skipString(part: Uint8Array, at: number): number {
    for (; at < part.length; at++) {
      if (isEscaped) isEscaped = false;
      else if (part[at] === backslash) isEscaped = true;
      else if (part[at] === quote) {
        isInString = false;
        return at + 1;
      }
    }
    return at;
  }

  /** The same for a string without escapes at its beginning; returns early at the first quote or escape. */
  function skipPlain(part: Uint8Array, at: number): number {
    const short = Math.min(part.length, at + shortString);
    for (; at < short; at++) if (part[at] === quote || part[at] === backslash) return at;
    if (at === part.length) return at;
    const end = part.indexOf(quote, at);
    const plain = part.subarray(at, end === -1 ? part.length : end);
    const escapeAt = plain.indexOf(backslash);
    return at + (escapeAt === -1 ? plain.length : escapeAt);
  }

  return {
    get depth() {
      return deepest;
    },
    get bytes() {
      return length + containers * containerBytes + commas * memberBytes;
    },
    get members() {
      return members;
    },
    get values() {
      return commas + containers + longNumbers * (valuesPerLongNumber - 1);
    },
    add(part) {
      length += part.length;
      let at = 0;
      while (at < part.length) {
        if (isInString) {
          at = skipString(part, isEscaped ? at : skipPlain(part, at));
          continue;
        }
        if (isOfNumber(part[at])) {
          if (++numberLength === shortNumber + 1) longNumbers++;
          at++;
          continue;
        }
        numberLength = 0;
        switch (part[at++]) {
          case quote:
            isInString = true;
            break;
          case 0x5b: // [
          case 0x7b: // {
            containers++;
            if (++depth > deepest) deepest = depth;
            break;
          case 0x5d: // ]
          case 0x7d: // }
            depth--;
            break;
          case 0x2c: // ,
            commas++;
            break;
          case 0x3a: // :
            members++;
            break;
        }
      }
    },
  };
}

/** Digits, signs, points and exponents; letters of other literals do no harm. */
function isOfNumber(byte = 0): boolean {
  return (byte >= 0x2d && byte <= 0x39) || byte === 0x2b || byte === 0x45 || byte === 0x65;
}
