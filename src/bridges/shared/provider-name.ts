import { createHash } from 'node:crypto';

export interface NameRules {
  /** How many characters the provider allows; 64 fits all of them. */
  readonly limit: number;
  /** Gemini refuses names that start with a digit or a dash. */
  readonly letterFirst?: boolean;
}

/**
 * The name a provider accepts for a tool. A name that fits stays as it is; any other is made to fit and ends in
 * `_` and eight hex digits of its SHA-256, so it is the same every time and two tools don't share one.
 */
export function toProviderName(name: string, limit = 64, letterFirst = false): string {
  const allowed = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  const fitting = letterFirst && !/^[a-zA-Z_]/.test(allowed) ? `_${allowed}` : allowed;
  if (fitting === name && name.length > 0 && name.length <= limit) return name;
  return `${fitting.slice(0, limit - 9)}_${shortHash(name)}`;
}

/** Eight hex digits that stand for the whole text. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
