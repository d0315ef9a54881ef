import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Sealer, sealedPrefix } from '../sealer.ts';
import { finishKeyChange } from './check-key.ts';
import type { Database, Writing } from './engine.ts';
import { accountContext } from './sql-accounts.ts';
import { oauthContext } from './sql-oauth.ts';
import { recordContext } from './sql-stores.ts';

const batch = 100;

/**
 * Reseals every secret with `next`, in small transactions. Each sealed text names its key, so a repeated call continues
 * after a crash. `from` opens texts of both keys.
 */
export async function reseal(db: Database, from: Sealer, next: Sealer): Promise<number> {
  const resealed = (sealed: string, context: string) => next.seal(from.open(sealed, context), context);
  const other = `${sealedPrefix(next)}%`;

  const records = (table: 'servers' | 'providers') => async (trx: Writing) => {
    const rows = await trx.selectFrom(table).selectAll().where('sealed', 'not like', other).limit(batch).execute();
    for (const { id, sealed } of rows) {
      const set = trx.updateTable(table).set({ sealed: resealed(sealed, recordContext(table, id)) });
      // A record that was replaced meanwhile is already sealed with the new key.
      await set.where('id', '=', id).where('sealed', '=', sealed).execute();
    }
    return rows.length;
  };

  async function oauth(trx: Writing): Promise<number> {
    const rows = await trx
      .selectFrom('oauth_records')
      .selectAll()
      .where('sealed', 'not like', other)
      .limit(batch)
      .execute();
    for (const { server_key: key, kind, sealed } of rows) {
      const set = trx.updateTable('oauth_records').set({ sealed: resealed(sealed, oauthContext(key, kind)) });
      await set.where('server_key', '=', key).where('kind', '=', kind).where('sealed', '=', sealed).execute();
    }
    return rows.length;
  }

  async function accounts(trx: Writing): Promise<number> {
    const rows = await trx.selectFrom('accounts').selectAll().where('sealed', 'not like', other).limit(batch).execute();
    for (const row of rows) {
      const set = trx.updateTable('accounts').set({ sealed: resealed(row.sealed, accountContext(row)) });
      await set.where('id', '=', row.id).where('sealed', '=', row.sealed).execute();
    }
    return rows.length;
  }

  let total = 0;
  for (const table of [records('servers'), records('providers'), oauth, accounts]) {
    for (let count = batch; count > 0; await nextTurn()) {
      count = await db.transaction().execute(table);
      total += count;
    }
  }
  await finishKeyChange(db, next);
  return total;
}
