import type { OAuthStore } from '../../connections/authentication/oauth-store.ts';
import { canonicalJson, hashOf } from '../../kernel/canonical-json.ts';
import type { Sealer } from '../sealer.ts';
import type { Engine } from './engine.ts';

/** The identity that a sign-in's record is sealed for. */
export function oauthContext(serverKey: string, kind: string): string {
  return `oauth/${serverKey}/${kind}`;
}

/** Sign-ins in a database, sealed as a whole; even whose they are is only a hash. */
export function createSqlOAuth({ db }: Engine, sealer: Sealer): OAuthStore {
  return {
    async get(server, kind) {
      const serverKey = hashOf(server);
      const row = await db
        .selectFrom('oauth_records')
        .select('sealed')
        .where('server_key', '=', serverKey)
        .where('kind', '=', kind)
        .executeTakeFirst();
      return row && JSON.parse(sealer.open(row.sealed, oauthContext(serverKey, kind)));
    },
    async set(server, kind, record) {
      const serverKey = hashOf(server);
      const sealed = sealer.seal(canonicalJson(record), oauthContext(serverKey, kind));
      await db
        .insertInto('oauth_records')
        .values({ server_key: serverKey, kind, sealed })
        .onConflict((conflict) => conflict.columns(['server_key', 'kind']).doUpdateSet({ sealed }))
        .execute();
    },
    async delete(server, kind) {
      let query = db.deleteFrom('oauth_records').where('server_key', '=', hashOf(server));
      if (kind !== undefined) query = query.where('kind', '=', kind);
      await query.execute();
    },
  };
}
