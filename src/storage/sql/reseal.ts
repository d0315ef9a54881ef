import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Sealer, sealedPrefix } from '../sealer.ts';
import { finishKeyChange } from './check-key.ts';
import type { Database, Writing } from './engine.ts';
import { oauthContext } from './sql-oauth.ts';
import { providerContext } from './sql-providers.ts';
import { serverContext } from './sql-servers.ts';

const batch = 100;

/**
 * Seals everything again with `next`, in small transactions. Each sealed text names its key, so a repeated call continues
 * after a crash. `from` opens texts of both keys.
 */
export async function reseal(db: Database, from: Sealer, next: Sealer): Promise<number> {
  const again = (sealed: string, context: string) => next.seal(from.open(sealed, context), context);
  const other = `${sealedPrefix(next)}%`;

  async function records(
    trx: Writing,
    table: 'servers' | 'providers',
    contextOf: (id: string) => string,
  ): Promise<number> {
    const rows = await trx.selectFrom(table).selectAll().where('sealed', 'not like', other).limit(batch).execute();
    for (const { id, sealed } of rows) {
      const set = trx.updateTable(table).set({ sealed: again(sealed, contextOf(id)) });
      // A record that was replaced meanwhile is already sealed with the new key.
      await set.where('id', '=', id).where('sealed', '=', sealed).execute();
    }
    return rows.length;
  }

  const servers = (trx: Writing) => records(trx, 'servers', serverContext);
  const providers = (trx: Writing) => records(trx, 'providers', providerContext);

  async function oauth(trx: Writing): Promise<number> {
    const rows = await trx
      .selectFrom('oauth_records')
      .selectAll()
      .where('sealed', 'not like', other)
      .limit(batch)
      .execute();
    for (const { server_key: key, kind, sealed } of rows) {
      const set = trx.updateTable('oauth_records').set({ sealed: again(sealed, oauthContext(key, kind)) });
      await set.where('server_key', '=', key).where('kind', '=', kind).where('sealed', '=', sealed).execute();
    }
    return rows.length;
  }

  let total = 0;
  for (const table of [servers, providers, oauth]) {
    for (let count = batch; count > 0; await nextTurn()) {
      count = await db.transaction().execute(table);
      total += count;
    }
  }
  await finishKeyChange(db, next);
  return total;
}
