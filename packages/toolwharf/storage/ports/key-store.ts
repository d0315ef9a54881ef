import { createHash } from 'node:crypto';

/** A stored API key. The key itself is shown once, when it is created, and never stored. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** From `hashApiKey`. */
  readonly hash: string;
  /** The profile that the key opens. If undefined, `default`, and every profile for the key of an administrator. */
  readonly profile?: string;
  readonly rights: readonly string[];
  readonly createdAt: string;
  /** The person to whom the key belongs; undefined if the operator created it, or a version that did not record it. */
  readonly createdBy?: string;
  /** The user whose personal key this is. It never grants more than the user has, and nothing after they lost access. */
  readonly user?: string;
  /** The key with which this one was created. It ends with that key. */
  readonly parent?: string;
  readonly expiresAt?: string;
  readonly lastUsedAt?: string;
  readonly revokedAt?: string;
}

/** The store of API keys. */
export interface KeyStore {
  /** Oldest first, including revoked keys. */
  list(): Promise<readonly ApiKey[]>;
  get(id: string): Promise<ApiKey | undefined>;
  /** Finds a key that is not revoked. */
  findByHash(hash: string): Promise<ApiKey | undefined>;
  add(key: ApiKey): Promise<void>;
  /** Records the last use to the minute, so that most calls write nothing. */
  touch(id: string, at: string): Promise<void>;
  /** Returns false if there is none with this id, or it is already revoked. */
  revoke(id: string, at: string): Promise<boolean>;
}

/**
 * The stored hash of a key. Keys are random tokens of 256 bits, which cannot be guessed from a fast hash; a slow hash, as
 * for passwords, would only slow down requests.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Uses within this time are recorded once. */
export const touchPrecisionMs = 60_000;
