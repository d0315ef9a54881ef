import { randomBytes, randomUUID } from 'node:crypto';
import { type KeyRight, permissionsOf } from '../../../contract/rights.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { type ApiKey, hashApiKey, type KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import type { UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import type { Identity } from './identity.ts';
import { createLastUse } from './last-use.ts';
import { mayUse, permissionsOfRoles, type RoleStore } from './users.ts';

export interface NewApiKey {
  readonly name: string;
  readonly profile?: string;
  readonly rights: readonly KeyRight[];
  /** The person to whom the key belongs; undefined if the operator creates it for someone. */
  readonly createdBy?: string;
  /** The user whose personal key it is. */
  readonly user?: string;
  /** The key with which it is created. */
  readonly parent?: string;
  readonly expiresAt?: string;
}

/** The id of a caller with a key is this prefix and the key's id. */
export const keyCallerPrefix = 'key:';

const prefix = 'tw_';

/** Creates a key of 256 random bits. Only the returned `key` contains it; the record stores its hash. */
export function createApiKey({ rights, ...settings }: NewApiKey): {
  readonly key: string;
  readonly record: ApiKey;
} {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  const record: ApiKey = {
    ...settings,
    id: randomUUID(),
    hash: hashApiKey(key),
    rights: [...new Set(rights)],
    createdAt: new Date().toISOString(),
  };
  return { key, record };
}

/** Where the permissions of a key come from. */
export interface KeyAccess {
  readonly keys: Pick<KeyStore, 'get'>;
  readonly users: Pick<UserStore, 'get'>;
  readonly roles: RoleStore;
}

/** Looks up the identity of a key. A revoked or expired key has none from the next request on; on other replicas, after at most a second. */
export interface ApiKeys {
  find(key: string): Promise<Identity | undefined>;
  findById(id: string): Promise<Identity | undefined>;
}

export interface ApiKeysOptions {
  readonly store: KeyStore;
  readonly access: KeyAccess;
  readonly log: Log;
  readonly now?: () => number;
}

export function createApiKeys({ store, access, log, now }: ApiKeysOptions): ApiKeys {
  const touch = createLastUse({ store, log, now, what: 'the last use of a key' });
  return {
    async find(key) {
      if (!looksLikeApiKey(key)) return undefined;
      const found = await store.findByHash(hashApiKey(key));
      if (!found) return undefined;
      touch(found.id);
      return identityOfKey(found, access, now?.());
    },
    async findById(id) {
      const found = await store.get(id);
      return found && identityOfKey(found, access, now?.());
    },
  };
}

function looksLikeApiKey(text: string): boolean {
  return /^tw_[A-Za-z0-9_-]{43}$/.test(text);
}

/**
 * The identity of a key; undefined if it was revoked, has expired, or if the person or key that it belongs to has no access any more.
 * A personal key has no more permissions than the roles of its person grant: one that was granted for a time does not count.
 */
export async function identityOfKey(key: ApiKey, access: KeyAccess, now = Date.now()): Promise<Identity | undefined> {
  const { id, name, user: userId, parent } = key;
  if (key.revokedAt !== undefined || (key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now))
    return undefined;
  const limits: Pick<Identity, 'permissions' | 'profile'>[] = [];
  if (userId !== undefined) {
    const user = await access.users.get(userId);
    if (!mayUse(user)) return undefined;
    const permissions = await permissionsOfRoles(user.roles, access.roles);
    limits.push({ permissions, profile: user.profile });
  }
  if (parent !== undefined) {
    const found = await access.keys.get(parent);
    const limit = found && (await identityOfKey(found, access, now));
    if (!limit) return undefined;
    limits.push(limit);
  }
  const permissions = new Set(
    [...permissionsOf(key.rights)].filter((permission) => limits.every((limit) => limit.permissions.has(permission))),
  );
  // Who may not use every profile has one, which can change.
  const limit = limits.find((one) => !one.permissions.has('profiles.use-all'));
  const profile = limit ? (limit.profile ?? 'default') : key.profile;
  return {
    caller: { id: `${keyCallerPrefix}${id}`, kind: 'client', name, user: userId },
    profile: key.profile === undefined || key.profile === profile ? profile : noProfile,
    permissions,
    via: 'key',
  };
}

/** A profile that does not exist: that of a key whose person has another profile now. */
const noProfile = '';
