import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { ServerStore } from '../../servers/server-store.ts';
import { nameTaken } from '../../servers/server-store.ts';
import type { Sealer } from '../sealer.ts';
import type { Engine } from './engine.ts';

/** The sealing context of a server's record. */
export function serverContext(id: string): string {
  return `servers/${id}`;
}

/** Servers in a database. All but id and name is sealed, since arguments and URLs can contain credentials. */
export function createSqlServers({ db, isUniqueViolation }: Engine, sealer: Sealer): ServerStore {
  const open = (row: { id: string; sealed: string }) => JSON.parse(sealer.open(row.sealed, serverContext(row.id)));
  return {
    async list() {
      const rows = await db.selectFrom('servers').selectAll().execute();
      // Sorted here, since databases collate text differently.
      return rows.sort((one, other) => (one.name < other.name ? -1 : 1)).map(open);
    },
    async get(id) {
      const row = await db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirst();
      return row && open(row);
    },
    async put(record) {
      const { id, name } = record;
      const sealed = sealer.seal(canonicalJson(record), serverContext(id));
      try {
        await db
          .insertInto('servers')
          .values({ id, name, sealed })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ name, sealed }))
          .execute();
      } catch (cause) {
        throw isUniqueViolation(cause) ? nameTaken(name) : cause;
      }
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('servers').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
