import { createHash } from 'node:crypto';

/** The methods of `Intl` that scripts have. */
const intlMethods = {
  NumberFormat: ['format', 'formatToParts', 'resolvedOptions'],
  DateTimeFormat: ['format', 'formatToParts', 'resolvedOptions'],
  ListFormat: ['format', 'formatToParts', 'resolvedOptions'],
  PluralRules: ['select', 'resolvedOptions'],
  RelativeTimeFormat: ['format', 'formatToParts', 'resolvedOptions'],
  Collator: ['compare', 'resolvedOptions'],
  DisplayNames: ['of', 'resolvedOptions'],
} as const satisfies Partial<Record<keyof typeof Intl, readonly string[]>>;

type IntlType = keyof typeof intlMethods;
type Formatter = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** The same on every machine, as the time zone is. */
const defaultLocale = 'en-US';
const maxFormatters = 50;

/** Answers questions of a script that need no gateway. Takes and returns JSON: no object crosses the border of the sandbox. */
export function createHostFunctions(randomSeed: string): (question: string) => string {
  const formatters = new Map<string, Formatter>();

  function findFormatter(type: IntlType, locales: unknown, options: unknown): Formatter {
    const key = JSON.stringify([type, locales, options]);
    const existing = formatters.get(key);
    if (existing) return existing;
    const create = Intl[type] as unknown as new (locales: unknown, options: unknown) => Formatter;
    const formatter = new create(locales ?? defaultLocale, options ?? undefined);
    if (formatters.size >= maxFormatters) formatters.clear();
    formatters.set(key, formatter);
    return formatter;
  }

  function useIntl(type: unknown, locales: unknown, options: unknown, method: unknown, args: unknown): unknown {
    if (typeof type !== 'string' || !Object.hasOwn(intlMethods, type))
      throw new TypeError('There is no such formatter');
    const known = type as IntlType;
    if (method === 'supportedLocalesOf')
      return (Intl[known] as typeof Intl.NumberFormat).supportedLocalesOf(locales as string[]);
    const name = intlMethods[known].find((one) => one === method);
    if (name === undefined) throw new TypeError(`Intl.${type} has no such method`);
    const values = (Array.isArray(args) ? args : []).map(revive);
    return findFormatter(known, locales, options)[name]?.(...values);
  }

  const answers: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {
    url: (address, base, part, value) => parseUrl(String(address), base, part, value),
    uuid: (number) =>
      toUuid(
        createHash('sha256')
          .update(`${randomSeed}:${Number(number)}`)
          .digest('hex'),
      ),
    'intl-types': () => intlMethods,
    intl: (type, locales, options, method, args) => useIntl(type, locales, options, method, args),
  };

  return (question) => {
    try {
      const [name, ...args] = JSON.parse(question) as [string, ...unknown[]];
      if (!Object.hasOwn(answers, name)) throw new TypeError('There is no such function');
      return JSON.stringify({ value: answers[name]?.(...args.map((arg) => arg ?? undefined)) });
    } catch (cause) {
      const { name, message } = cause as Error;
      return JSON.stringify({ error: { name, message } });
    }
  };
}

const urlParts = [
  ...(['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname'] as const),
  ...(['search', 'hash'] as const),
];

function parseUrl(address: string, base: unknown, part: unknown, value: unknown): Record<string, string> {
  const url = new URL(address, base === undefined ? undefined : String(base));
  const changed = urlParts.find((name) => name === part);
  if (changed !== undefined && changed !== 'origin') url[changed] = String(value ?? '');
  return Object.fromEntries(urlParts.map((name) => [name, url[name]]));
}

/** A value that JSON does not have comes as an object with its text. */
function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if ('bigint' in value) return BigInt(String(value.bigint));
  return 'number' in value ? Number(value.number) : value;
}

/** A random UUID (version 4) of 32 hexadecimal digits. */
function toUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
