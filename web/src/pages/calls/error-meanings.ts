export interface ErrorMeaning {
  readonly happened: string;
  readonly advice: string;
}

/** What each error code means, by the table of the documentation. */
export function readErrorMeanings(markdown: string): ReadonlyMap<string, ErrorMeaning> {
  const meanings = new Map<string, ErrorMeaning>();
  for (const line of markdown.split('\n')) {
    const [, code, happened, advice] = /^\| `([A-Z_]+)` \| \d+ \| (.+) \| (.+) \|$/.exec(line) ?? [];
    if (code !== undefined && happened !== undefined && advice !== undefined)
      meanings.set(code, { happened: plain(happened), advice: plain(advice) });
  }
  return meanings;
}

function plain(text: string): string {
  return text.replaceAll('`', '').trim();
}
