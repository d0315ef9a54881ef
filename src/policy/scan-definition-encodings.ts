export interface DecodedText {
  readonly text: string;
  /** The encoded text, shortened. */
  readonly source: string;
  /** Escaped rather than encoded, so that a person could read it. */
  readonly isPlain: boolean;
}

const maxRuns = 20;

/** Finds sentences in a text that are encoded in base64, in hexadecimal digits or in escapes. */
export function decodedTexts(text: string): DecodedText[] {
  const found: DecodedText[] = [];
  const take = (pattern: RegExp, decode: (run: string) => string, isPlain: boolean) => {
    for (const [run] of [...text.matchAll(pattern)].slice(0, maxRuns)) {
      const decoded = decode(run);
      if (isSentence(decoded)) found.push({ text: decoded, source: `${run.slice(0, 24)}…`, isPlain });
    }
  };
  take(/[A-Za-z0-9+/_-]{32,8000}={0,2}/g, (run) => Buffer.from(run, 'base64').toString('utf8'), false);
  take(
    /(?:[0-9a-f]{2}[\s:]?){20,4000}/gi,
    (run) => Buffer.from(run.replace(/[\s:]/g, ''), 'hex').toString('utf8'),
    false,
  );
  take(/(?:\\u[0-9a-f]{4}|\\x[0-9a-f]{2}){8,2000}/gi, unescapeCodes, true);
  take(/(?:%[0-9a-f]{2}){10,2000}/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'), true);
  take(/(?:&#x?[0-9a-f]{1,6};){8,2000}/gi, unescapeReferences, true);
  return found;
}

/** Whether bytes are words with spaces, and only text. */
function isSentence(text: string): boolean {
  if (text.includes('\ufffd')) return false;
  const printable = text.match(/[\p{L}\p{N}\p{P}\p{Zs}\n\t]/gu)?.length ?? 0;
  return printable >= [...text].length * 0.95 && /\p{L}{2,}\s+\p{L}{2,}/u.test(text);
}

function unescapeCodes(run: string): string {
  return run.replace(/\\[ux]([0-9a-f]+)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function unescapeReferences(run: string): string {
  return run.replace(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, code: string) => {
    const point = Number.parseInt(code, hex === '' ? 10 : 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}
