import { randomBytes, randomUUID } from 'node:crypto';
import type { KeyRight } from '../../../contract/rights.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { type ApiKey, hashApiKey, type KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import type { Identity } from './identity.ts';
import { createLastUse } from './last-use.ts';

export interface NewApiKey {
  readonly name: string;
  readonly profile?: string;
  readonly rights: readonly KeyRight[];
  /** The person to whom the key belongs; undefined if the operator creates it for someone. */
  readonly createdBy?: string;
}

/** The id of a caller with a key is this prefix and the key's id. */
export const keyCallerPrefix = 'key:';

const prefix = 'tw_';

/** Creates a key of 256 random bits. Only the returned `key` contains it; the record stores its hash. */
export function createApiKey({ name, profile, rights, createdBy }: NewApiKey): {
  readonly key: string;
  readonly record: ApiKey;
} {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  const record: ApiKey = {
    id: randomUUID(),
    name,
    hash: hashApiKey(key),
    profile,
    rights: [...new Set(rights)],
    createdAt: new Date().toISOString(),
    createdBy,
  };
  return { key, record };
}

/** Looks up the identity of a key. A revoked key has none from the next request on; on other replicas, after at most a second. */
export interface ApiKeys {
  find(key: string): Promise<Identity | undefined>;
  findById(id: string): Promise<Identity | undefined>;
}

export interface ApiKeysOptions {
  readonly store: KeyStore;
  readonly log: Log;
  readonly now?: () => number;
}

export function createApiKeys({ store, log, now }: ApiKeysOptions): ApiKeys {
  const touch = createLastUse({ store, log, now, what: 'the last use of a key' });
  return {
    async find(key) {
      if (!looksLikeApiKey(key)) return undefined;
      const found = await store.findByHash(hashApiKey(key));
      if (!found) return undefined;
      touch(found.id);
      return toIdentity(found);
    },
    async findById(id) {
      const found = await store.get(id);
      return found && found.revokedAt === undefined ? toIdentity(found) : undefined;
    },
  };
}

function looksLikeApiKey(text: string): boolean {
  return /^tw_[A-Za-z0-9_-]{43}$/.test(text);
}

function toIdentity({ id, name, profile, rights }: ApiKey): Identity {
  return {
    caller: { id: `${keyCallerPrefix}${id}`, kind: 'client', name },
    profile,
    isAdmin: rights.includes('admin'),
    rights: (['read', 'call'] as const).filter((right) => rights.includes(right)),
    via: 'key',
  };
}
