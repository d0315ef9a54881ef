import { isObject } from './json.ts';

/** Replaces known secrets in texts and values. A value without secrets is returned as the same object. */
export interface Redactor {
  add(secret: string): void;
  text(text: string): string;
  value<Value>(value: Value): Value;
}

const mask = '[redacted]';
// Short values are words, not secrets: redacting "1" or "true" would make texts unreadable.
const minLength = 6;

export function createRedactor(): Redactor {
  const secrets = new Set<string>();

  function text(input: string): string {
    let output = input;
    for (const secret of secrets) if (output.includes(secret)) output = output.replaceAll(secret, mask);
    return output;
  }

  function walk(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) {
      const items = value.map(walk);
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, member]) => [key, walk(member)] as const);
    return entries.some(([key, member]) => member !== value[key]) ? Object.fromEntries(entries) : value;
  }

  return {
    add(secret) {
      if (secret.length >= minLength) secrets.add(secret);
    },
    text,
    value: (value) => (secrets.size === 0 ? value : (walk(value) as typeof value)),
  };
}
