/** How many values an option of a command line takes. `list` takes all words up to the next option. */
export type Arity = 0 | 1 | 2 | 'list';

export interface ReadOptions {
  /** The values of each option that was given, by its name without dashes, in camel case. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** The words that are neither options nor their values. */
  readonly rest: readonly string[];
  readonly unknown: readonly string[];
}

export interface OptionRules {
  readonly arities: ReadonlyMap<string, Arity>;
  /** Names of options by their letters. */
  readonly short?: ReadonlyMap<string, string>;
  /** The first word that is no option, and all words after it, are a command line of their own. */
  readonly endsAtWord: boolean;
}

/** Reads options that are written as `--name value`, `--name=value` or `-n value`. */
export function readOptions(
  words: readonly string[],
  { arities, short = new Map(), endsAtWord }: OptionRules,
): ReadOptions {
  const rest: string[] = [];
  const options = new Map<string, readonly string[]>();
  const unknown: string[] = [];
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (word === '--') {
      at += 1;
      break;
    }
    const [, dashes = '', written = '', inline] = /^(--?)([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (dashes === '' && endsAtWord) break;
    at += 1;
    if (dashes === '') {
      rest.push(word);
      continue;
    }
    const name = dashes === '-' ? (short.get(written) ?? written) : toCamelCase(written);
    const arity = arities.get(name);
    if (arity === undefined) unknown.push(`${dashes}${written}`);
    const values = inline === undefined ? [] : [inline];
    const wanted = arity === 'list' ? Number.POSITIVE_INFINITY : (arity ?? 0);
    while (values.length < wanted && at < words.length && !(words[at] ?? '').startsWith('--')) {
      values.push(words[at] ?? '');
      at += 1;
    }
    options.set(name, [...(options.get(name) ?? []), ...values]);
  }
  return { options, rest: [...rest, ...words.slice(at)], unknown };
}

/** Names unknown options. Other words are only counted, because they may be secrets. */
export function describeUnknown({ unknown, rest }: Pick<ReadOptions, 'unknown' | 'rest'>): string | undefined {
  const words = rest.length === 1 ? '1 other word' : `${rest.length} other words`;
  const parts = [...unknown, ...(rest.length > 0 ? [words] : [])];
  return parts.length > 0 ? parts.join(', ') : undefined;
}

function toCamelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
