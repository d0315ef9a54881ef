import { isObject } from '../../contract/json.ts';
import { jsonTextOf, restate, rewrite } from './exact-json.ts';

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
    return jsonTextOf(value) === undefined ? walkParts(value) : redact(value as object);
  }

  function walkParts(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) {
      const items = value.map(walk);
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, member]) => [key, walk(member)] as const);
    return entries.some(([key, member]) => member !== value[key]) ? Object.fromEntries(entries) : value;
  }

  /** Redacts a value that arrived. */
  function redact(value: object): object {
    const json = jsonTextOf(value) ?? '';
    const hasSecret = [...secrets].some((secret) => json.includes(secret));
    // Without escapes, the texts of the value are in the JSON as they are.
    if (!hasSecret && !json.includes('\\')) return value;
    const redacted = rewrite(value, (exact) => walkParts(exact) as object);
    // A name that occurs twice can hide a secret from the value.
    return redacted === value && hasSecret ? restate({ ...value }) : redacted;
  }

  return {
    add(secret) {
      if (secret.length >= minLength) secrets.add(secret);
    },
    text,
    value(value) {
      if (secrets.size === 0 || typeof value !== 'object' || value === null) return value;
      return walk(value) as typeof value;
    },
  };
}
