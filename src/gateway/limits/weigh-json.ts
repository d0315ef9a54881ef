/** The memory that a JSON text needs once it is parsed. */
export interface JsonWeight {
  /** The deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Approximate bytes of the parsed value. */
  readonly bytes: number;
}

const containerBytes = 64;
const memberBytes = 16;

/** Weighs a JSON text without parsing it. The text need not be valid. */
export function weighJson(text: Buffer): JsonWeight {
  let depth = 0;
  let deepest = 0;
  let containers = 0;
  let members = 0;
  const { length } = text;
  for (let at = 0; at < length; at++) {
    switch (text[at]) {
      case 0x22: // "
        for (at++; at < length && text[at] !== 0x22; at++) if (text[at] === 0x5c) at++;
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
        members++;
        break;
    }
  }
  return { depth: deepest, bytes: length + containers * containerBytes + members * memberBytes };
}
