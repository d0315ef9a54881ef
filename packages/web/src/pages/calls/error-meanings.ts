export interface ErrorMeaning {
  readonly happened: string;
  readonly advice: string;
}

/** The meaning of each error code, from the table in the documentation. */
export function readErrorMeanings(markdown: string): ReadonlyMap<string, ErrorMeaning> {
  const meanings = new Map<string, ErrorMeaning>();
  for (const line of markdown.split('\n')) {
    const [, code, happened, advice] = /^\| `([A-Z_]+)` \| \d+ \| (.+) \| (.+) \|$/.exec(line) ?? [];
    if (code !== undefined && happened !== undefined && advice !== undefined)
      meanings.set(code, { happened: stripCode(happened), advice: stripCode(advice) });
  }
  return meanings;
}

function stripCode(text: string): string {
  return text.replaceAll('`', '').trim();
}
