import { type ApiKey, type KeyStore, touchPrecisionMs } from '../ports/key-store.ts';
import type { Engine } from './engine.ts';
import type { ApiKeyRow } from './tables.ts';

/** API keys in a database. */
export function createSqlKeys({ db }: Engine): KeyStore {
  return {
    async list() {
      const rows = await db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute();
      return rows.map(toKey);
    },
    async get(id) {
      const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toKey(row);
    },
    async findByHash(hash) {
      const row = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return row && toKey(row);
    },
    async add(key) {
      await db.insertInto('api_keys').values(toRow(key)).execute();
    },
    async touch(id, at) {
      const now = Date.parse(at);
      const key = await db.selectFrom('api_keys').select('last_used_at').where('id', '=', id).executeTakeFirst();
      if (!key || (key.last_used_at !== null && now - key.last_used_at < touchPrecisionMs)) return;
      await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
    },
    async revoke(id, at) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ revoked_at: Date.parse(at) })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function toRow({ id, name, hash, profile, rights, createdAt, lastUsedAt, revokedAt }: ApiKey): ApiKeyRow {
  return {
    id,
    name,
    hash,
    profile: profile ?? null,
    rights: JSON.stringify(rights),
    created_at: Date.parse(createdAt),
    last_used_at: lastUsedAt === undefined ? null : Date.parse(lastUsedAt),
    revoked_at: revokedAt === undefined ? null : Date.parse(revokedAt),
  };
}

function toKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    profile: row.profile ?? undefined,
    rights: JSON.parse(row.rights),
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: row.last_used_at === null ? undefined : new Date(row.last_used_at).toISOString(),
    revokedAt: row.revoked_at === null ? undefined : new Date(row.revoked_at).toISOString(),
  };
}
