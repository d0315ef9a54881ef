import { formatNumber } from './formats.ts';

const rules = new Intl.PluralRules('en');

/** `plural(count, { one: '# call', other: '# calls' })`: "1 call", "1,204 calls". */
export function plural(count: number, forms: { readonly one?: string; readonly other: string }): string {
  const form = (rules.select(count) === 'one' ? forms.one : undefined) ?? forms.other;
  return form.replaceAll('#', formatNumber(count));
}
