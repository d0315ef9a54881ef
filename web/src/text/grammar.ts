import { createElement, Fragment, type ReactNode } from 'react';

/** Makes a part of a sentence an element, such as a link: `(label) => <TextLink href="/">{label}</TextLink>`. */
export type Element = (label: string) => ReactNode;

/** The forms that a language has for a count; `#` stands for the count. English needs `one` and `other`. */
export type PluralForms = { readonly [form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** Everything that a catalog needs beside its words. */
export interface Grammar {
  /** `plural(count, { one: '# call', other: '# calls' })`: "1 call", "1,204 calls". */
  plural(count: number, forms: PluralForms): string;
  /** "1,204". */
  number(value: number): string;
  /** "a, b, and c". */
  list(items: readonly string[]): string;
  /** A sentence that contains elements: rich`Add a model in ${settings('Settings')}.` */
  rich(words: TemplateStringsArray, ...elements: readonly ReactNode[]): ReactNode;
}

/** The grammar of a language. `locale` says how numbers are written. */
export function createGrammar(language: string, locale: string): Grammar {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(locale);
  const lists = new Intl.ListFormat(language);
  const number = (value: number) => numbers.format(value);
  return {
    plural: (count, forms) => (forms[rules.select(count)] ?? forms.other).replaceAll('#', number(count)),
    number,
    list: (items) => lists.format(items),
    rich: (words, ...elements) =>
      createElement(Fragment, null, ...words.flatMap((word, index) => [word, elements[index]])),
  };
}
