import { formatNumber } from './formats.ts';

const rules = new Intl.PluralRules('en');

/** `plural(count, 'call')`: "1 call", "1,204 calls". Forms say more than a noun: `{ one: '# call waits', other: '# calls wait' }`. */
export function plural(count: number, noun: string | { readonly one: string; readonly other: string }): string {
  const { one, other } = typeof noun === 'string' ? { one: `# ${noun}`, other: `# ${noun}s` } : noun;
  return (rules.select(count) === 'one' ? one : other).replaceAll('#', formatNumber(count));
}
