import { createHash } from 'node:crypto';

/** An API key as it is kept: the key itself is shown once, when it is made, and never stored. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** From `hashApiKey`. */
  readonly hash: string;
  /** The profile it opens; undefined for all that its rights allow. */
  readonly profile?: string;
  readonly rights: readonly string[];
  readonly createdAt: string;
  readonly lastUsedAt?: string;
  readonly revokedAt?: string;
}

/** Where API keys are kept. */
export interface KeyStore {
  /** Oldest first, revoked ones too. */
  list(): Promise<readonly ApiKey[]>;
  get(id: string): Promise<ApiKey | undefined>;
  /** The key that is good now: one that was revoked is not found. */
  findByHash(hash: string): Promise<ApiKey | undefined>;
  add(key: ApiKey): Promise<void>;
  /** Remembers that it was used, to the minute: most calls write nothing. */
  touch(id: string, at: string): Promise<void>;
  /** False when there is none of that id, or it was revoked before. */
  revoke(id: string, at: string): Promise<boolean>;
}

/**
 * What is stored of a key. Keys are random tokens of 256 bits: nobody guesses one from its hash,
 * so a slow hash, which protects short passwords, would only make every request slow.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Uses closer together than this are one use. */
export const touchPrecisionMs = 60_000;
