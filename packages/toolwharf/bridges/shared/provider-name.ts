import { sha256 } from '../../kernel/sha256.ts';

export interface NameRules {
  /** The maximum length; all providers allow 64. */
  readonly limit: number;
  /** Gemini rejects names that start with a digit or a dash. */
  readonly letterFirst?: boolean;
}

/**
 * Converts a tool's name to one that the provider accepts. A valid name is unchanged; any other gets a suffix of `_` and
 * eight hex digits of its SHA-256, so the result is stable and unique.
 */
export function toProviderName(name: string, limit = 64, letterFirst = false): string {
  const allowed = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  const accepted = letterFirst && !/^[a-zA-Z_]/.test(allowed) ? `_${allowed}` : allowed;
  if (accepted === name && name.length > 0 && name.length <= limit) return name;
  return `${accepted.slice(0, limit - 9)}_${shortHash(name)}`;
}

/** The first eight hex digits of the SHA-256. */
export function shortHash(text: string): string {
  return sha256(text).slice(0, 8);
}
