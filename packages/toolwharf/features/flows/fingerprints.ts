import { isObject } from '../../../contract/json.ts';

/** The characters that two texts must share, without white space, to be seen as the same data. */
export const minCharacters = 12;
/** The digits of the shortest number that is recognised. */
export const minDigits = 6;
/** Of binary content in base64, one in this many positions is remembered: parts of `minCharacters + sampling - 1` characters are found. */
const sampling = 12;

/** A piece of a value. */
export interface Segment {
  /** JSON Pointer of the value in which it is. */
  readonly pointer: string;
  readonly text: string;
  /** The text is a number by itself. */
  readonly isNumber?: boolean;
  /** The text is binary content in base64. */
  readonly isBinary?: boolean;
  /** The text was decoded from the value. */
  readonly isDecoded?: boolean;
}

/** A hash, and where in a segment its part ends. Positions are consecutive in a longer part. A number has none. */
export type OnFingerprint = (hash: number, segment: Segment, at?: number) => void;

/**
 * Computes the hash of each part of 12 characters of the segments, and of each number. A part can begin in one segment and end in the
 * next. Case, Unicode form, invisible characters and the amount of white space do not matter; parts without any white space are
 * computed too. Returns false if the texts are longer than the limit.
 */
export function fingerprint(segments: readonly Segment[], maxLength: number, found: OnFingerprint): boolean {
  const lengths = segments.map(({ text, isBinary }) => (isBinary ? Math.ceil(text.length / sampling) : text.length));
  if (lengths.reduce((sum, length) => sum + length, 0) > maxLength) return false;
  const compact = createWindow();
  const spaced = createWindow();
  for (const segment of segments) {
    const { isBinary, isDecoded } = segment;
    if (!isBinary) for (const digits of numbersOf(segment)) found(hashNumber(digits), segment);
    // What was decoded stands alone.
    if (isDecoded || isBinary) compact.clear();
    const text = normalize(segment.text);
    const withSpaces = text.replaceAll(/\s+/g, ' ');
    const withoutSpaces = text.replaceAll(/\s/g, '');
    compact.addAll(withoutSpaces, (hash, at) => {
      if (!isBinary || at % sampling === sampling - 1) found(hash, segment, at);
    });
    if (isDecoded || isBinary) compact.clear();
    if (withSpaces === withoutSpaces) continue;
    spaced.clear();
    spaced.addAll(withSpaces, (hash, at) => found(hash, segment, at));
  }
  return true;
}

/** The text as it is compared: case, Unicode form, invisible characters and common look-alikes do not matter. */
function normalize(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(invisible, '')
    .replaceAll(lookAlikes, (letter) => latin[foreign.indexOf(letter)] ?? letter);
}

// Cyrillic and Greek letters that look like Latin ones.
const foreign = 'аеорсухіјѕһԁԛԝвмнткαονρτυικχγ';
const latin = 'aeopcyxijshdqwbmhtkaovptuikxy';
const lookAlikes = new RegExp(`[${foreign}]`, 'g');

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = /^[\x00-\x7f]*$/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Two rolling hashes over the last 12 characters, combined to 48 bits. */
function createWindow() {
  const [firstBase, secondBase] = [0x01000193, 0x5bd1e995];
  const [firstLast, secondLast] = [power(firstBase, minCharacters), power(secondBase, minCharacters)];
  const codes = new Uint16Array(minCharacters);
  let [first, second, count] = [0, 0, 0];
  return {
    clear() {
      codes.fill(0);
      [first, second, count] = [0, 0, 0];
    },
    /** Moves the window over a text. It is passed on once it is full. */
    addAll(text: string, onHash: (hash: number, at: number) => void) {
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        const slot = count % minCharacters;
        const leaving = codes[slot] as number;
        codes[slot] = code;
        count++;
        first = (Math.imul(first, firstBase) + code - Math.imul(leaving, firstLast)) | 0;
        second = (Math.imul(second, secondBase) + code - Math.imul(leaving, secondLast)) | 0;
        if (count >= minCharacters) onHash(combine(first, second), at);
      }
    },
  };
}

function power(base: number, exponent: number): number {
  let value = 1;
  for (let times = 0; times < exponent; times++) value = Math.imul(value, base);
  return value;
}

function combine(first: number, second: number): number {
  // The low bits of a product know only the low bits of its factors.
  const mixed = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d);
  return (mixed >>> 0) * 0x10000 + (second >>> 16);
}

function hashNumber(digits: string): number {
  let [first, second] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < digits.length; at++) {
    first = Math.imul(first ^ digits.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ digits.charCodeAt(at), 0x5bd1e995);
  }
  return combine(first, second);
}

const groups = /\d(?:[ ,.'_\u00a0\u202f-]?\d){5,}/g;
const plain = /\d{6,}/g;
const isDate = /^\d{4}-\d{2}-\d{2}/;

/** The numbers in a segment, as their digits: with the separators of groups, and without. */
function numbersOf({ text, isNumber }: Segment): ReadonlySet<string> {
  const texts = isNumber
    ? [text.replace(/^-/, '').replace(/[eE].*$/, '')]
    : [
        ...(text.match(plain) ?? []),
        ...(text.normalize('NFKC').match(groups) ?? []).filter((one) => !isDate.test(one)),
      ];
  const digits = texts.flatMap((one) => [one, one.replace(/[.,]\d{1,2}$/, '')]).map((one) => one.replaceAll(/\D/g, ''));
  return new Set(digits.map((one) => one.replace(/^0+/, '')).filter((one) => one.length >= minDigits));
}

/** The texts and numbers of a value, in order. */
export function segmentsOf(value: unknown, withNames: boolean): readonly Segment[] {
  const segments: Segment[] = [];
  // Behind the values, so that a text in two arguments is one text.
  const names: Segment[] = [];
  visit(value, '', undefined);
  return [...segments, ...names];

  function visit(part: unknown, pointer: string, name: string | undefined): void {
    if (typeof part === 'string') {
      if (part === '') return;
      const isBinary = name !== undefined && binaryMembers.has(name) && isBase64.test(part);
      segments.push({ pointer, text: part, ...(isBinary && { isBinary }) });
    } else if (typeof part === 'number' || typeof part === 'bigint')
      segments.push({ pointer, text: `${part}`, isNumber: true });
    else if (Array.isArray(part)) for (const [index, item] of part.entries()) visit(item, `${pointer}/${index}`, name);
    else if (isObject(part))
      for (const [key, member] of Object.entries(part)) {
        const inside = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        if (withNames) names.push({ pointer: inside, text: key });
        visit(member, inside, key);
      }
  }
}

const binaryMembers: ReadonlySet<string> = new Set(['data', 'blob']);
const isBase64 = /^[A-Za-z0-9+/=_-]{256,}$/;

/** The texts that a segment stands for in a common encoding: base64, hexadecimal digits, percent signs. */
export function decodedSegments({ pointer, text }: Segment): readonly Segment[] {
  const decoded = [
    ...(text.match(/[A-Za-z0-9+/_-]{16,}/g) ?? []).flatMap((run) =>
      // What stands directly in front of an encoded text moves its groups of four.
      [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('utf8')),
    ),
    ...innerTexts(text, true),
    ...(text.match(/(?:[0-9a-fA-F]{2}[\s:]?){12,}/g) ?? []).map((run) =>
      Buffer.from(run.replaceAll(/[\s:]/g, ''), 'hex').toString('utf8'),
    ),
    ...(/%[0-9a-fA-F]{2}/.test(text) ? [unescapePercents(text)] : []),
  ];
  return decoded.map((one) => ({ pointer, text: one, isDecoded: true }));
}

function unescapePercents(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** The texts and numbers in a text that is JSON. */
export function innerTexts(text: string, withNames: boolean): readonly string[] {
  if (!/^\s*[[{"]/.test(text)) return [];
  try {
    return segmentsOf(JSON.parse(text), withNames).map((inner) => inner.text);
  } catch {
    return [];
  }
}
