import type { OAuthStore } from '../../../../toolwharf/connections/authentication/oauth-store.ts';
import { canonicalJson, hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';
import type { Sealer } from '../../../../toolwharf/storage/sealer.ts';
import type { Engine, WithLock } from './engine.ts';

/** The sealing context of an OAuth record. */
export function oauthContext(serverKey: string, kind: string): string {
  return `oauth/${serverKey}/${kind}`;
}

/** OAuth records in a database. They are sealed, and the server they belong to is stored as a hash. */
export function createSqlOAuth({ db }: Engine, sealer: Sealer, withLock?: WithLock): OAuthStore {
  return {
    withLock: withLock && ((server, work) => withLock(`oauth/${hashOf(server)}`, work)),
    async get(server, name, id) {
      const serverKey = hashOf(server);
      const kind = kindOf(name, id);
      const row = await db
        .selectFrom('oauth_records')
        .select('sealed')
        .where('server_key', '=', serverKey)
        .where('kind', '=', kind)
        .executeTakeFirst();
      return row && JSON.parse(sealer.open(row.sealed, oauthContext(serverKey, kind)));
    },
    async set(server, name, record, id) {
      const serverKey = hashOf(server);
      const kind = kindOf(name, id);
      const sealed = sealer.seal(canonicalJson(record), oauthContext(serverKey, kind));
      await db
        .insertInto('oauth_records')
        .values({ server_key: serverKey, kind, sealed })
        .onConflict((conflict) => conflict.columns(['server_key', 'kind']).doUpdateSet({ sealed }))
        .execute();
    },
    async delete(server, kind, id) {
      let query = db.deleteFrom('oauth_records').where('server_key', '=', hashOf(server));
      if (kind !== undefined) query = query.where('kind', '=', kindOf(kind, id));
      await query.execute();
    },
    async take(server, kind) {
      const serverKey = hashOf(server);
      const row = await db
        .deleteFrom('oauth_records')
        .where('server_key', '=', serverKey)
        .where('kind', '=', kind)
        .returning('sealed')
        .executeTakeFirst();
      return row && JSON.parse(sealer.open(row.sealed, oauthContext(serverKey, kind)));
    },
  };
}

function kindOf(kind: string, id: string | undefined): string {
  return id === undefined ? kind : `${kind}/${id}`;
}
