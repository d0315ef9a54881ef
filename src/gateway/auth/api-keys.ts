import { randomBytes, randomUUID } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type ApiKey, hashApiKey, type KeyStore, touchPrecisionMs } from '../../storage/ports/key-store.ts';
import type { Identity } from './identity.ts';

export interface NewApiKey {
  readonly name: string;
  readonly profile?: string;
  readonly rights: readonly ('read' | 'call' | 'admin')[];
}

const prefix = 'tw_';

/** A new key of 256 random bits. The key itself is nowhere but in what this gives back. */
export function createApiKey({ name, profile, rights }: NewApiKey): { readonly key: string; readonly record: ApiKey } {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  const record: ApiKey = {
    id: randomUUID(),
    name,
    hash: hashApiKey(key),
    ...(profile !== undefined && { profile }),
    rights: [...new Set(rights)],
    createdAt: new Date().toISOString(),
  };
  return { key, record };
}

/** Finds whom a key belongs to. One that was revoked belongs to nobody, from the next request on. */
export interface ApiKeys {
  find(key: string): Promise<Identity | undefined>;
  findById(id: string): Promise<Identity | undefined>;
}

export interface ApiKeysOptions {
  readonly store: KeyStore;
  readonly log: Log;
  readonly now?: () => number;
}

export function createApiKeys({ store, log, now = Date.now }: ApiKeysOptions): ApiKeys {
  const touched = new Map<string, number>();

  /** The store keeps the time to the minute: asking it more often would only cost. */
  function touch({ id }: ApiKey): void {
    const at = now();
    if (at - (touched.get(id) ?? 0) < touchPrecisionMs) return;
    touched.set(id, at);
    store
      .touch(id, new Date(at).toISOString())
      .catch((cause) => log.warning('auth.touch-failed', `The use of a key could not be noted: ${messageOf(cause)}`));
  }

  return {
    async find(key) {
      if (!isApiKey(key)) return undefined;
      const found = await store.findByHash(hashApiKey(key));
      if (!found) return undefined;
      touch(found);
      return toIdentity(found);
    },
    async findById(id) {
      const found = await store.get(id);
      return found && found.revokedAt === undefined ? toIdentity(found) : undefined;
    },
  };
}

/** True for what could be a key, by its looks. */
function isApiKey(text: string): boolean {
  return /^tw_[A-Za-z0-9_-]{43}$/.test(text);
}

function toIdentity({ id, name, profile, rights }: ApiKey): Identity {
  return {
    caller: { id: `key:${id}`, kind: 'client', name },
    ...(profile !== undefined && { profile }),
    isAdmin: rights.includes('admin'),
    rights: (['read', 'call'] as const).filter((right) => rights.includes(right)),
    via: 'key',
  };
}
