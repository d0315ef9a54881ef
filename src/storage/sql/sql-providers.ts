import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { ProviderStore } from '../ports/provider-store.ts';
import type { Sealer } from '../sealer.ts';
import type { Engine } from './engine.ts';

/** The sealing context of a provider's record. */
export function providerContext(id: string): string {
  return `providers/${id}`;
}

/** Model providers in a database. All but id and name is sealed, since URLs can contain keys. */
export function createSqlProviders({ db }: Engine, sealer: Sealer): ProviderStore {
  const open = (row: { id: string; sealed: string }) => JSON.parse(sealer.open(row.sealed, providerContext(row.id)));
  return {
    async list() {
      const rows = await db.selectFrom('providers').selectAll().execute();
      // Sorted here, since databases collate text differently.
      return rows.sort((one, other) => (one.name < other.name ? -1 : 1)).map(open);
    },
    async get(id) {
      const row = await db.selectFrom('providers').selectAll().where('id', '=', id).executeTakeFirst();
      return row && open(row);
    },
    async put(provider) {
      const { id, name } = provider;
      const sealed = sealer.seal(canonicalJson(provider), providerContext(id));
      await db
        .insertInto('providers')
        .values({ id, name, sealed })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ name, sealed }))
        .execute();
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('providers').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
