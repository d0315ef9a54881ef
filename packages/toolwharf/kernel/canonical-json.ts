import { numberText } from './decimal.ts';
import { isRawNumber } from './exact-json.ts';

/** JSON with sorted keys and no spaces: equal values give equal text, at any size of numbers. `undefined` members are left out, as in JSON. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (isRawNumber(value)) return numberText(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ','}${canonicalJson(item === undefined ? null : item)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) text += `${text && ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** SHA-256 of the canonical JSON, in hex. */
export function hashOf(value: unknown): string {
  // Without an import, so that bridges can be bundled for browsers.
  return process.getBuiltinModule('node:crypto').hash('sha256', canonicalJson(value));
}
