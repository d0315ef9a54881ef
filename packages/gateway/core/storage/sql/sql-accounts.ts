import type { Selectable } from 'kysely';
import type { Account, AccountStore } from '../../../../toolwharf/connections/accounts/account-store.ts';
import { canonicalJson } from '../../../../toolwharf/kernel/canonical-json.ts';
import type { Sealer } from '../../../../toolwharf/storage/sealer.ts';
import type { Engine } from './engine.ts';
import type { Tables } from './tables.ts';

/** The sealing context of an account. A sealed account opens only in the row of its own owner. */
export function accountContext({ id, owner, server }: Pick<Account, 'id' | 'owner' | 'server'>): string {
  return `account/${owner}/${server}/${id}`;
}

/** Accounts in a database. Everything but the owner, the server and the state is sealed. */
export function createSqlAccounts({ db }: Engine, sealer: Sealer): AccountStore {
  function read(row: Selectable<Tables['accounts']>): Account {
    const { id, server, owner, state } = row;
    const body = JSON.parse(sealer.open(row.sealed, accountContext(row)));
    const createdAt = new Date(row.created_at).toISOString();
    return { ...body, id, server, owner, state, isDefault: row.is_default === 1, createdAt };
  }

  return {
    async list({ server, owner, state } = {}) {
      let query = db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id');
      if (server !== undefined) query = query.where('server', '=', server);
      if (owner !== undefined) query = query.where('owner', '=', owner);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.execute()).map(read);
    },
    async get(id) {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && read(row);
    },
    async put(account) {
      const { id, server, owner, state, isDefault, createdAt, ...body } = account;
      const row = {
        server,
        owner,
        state,
        is_default: isDefault ? 1 : 0,
        created_at: Date.parse(createdAt),
        sealed: sealer.seal(canonicalJson(body), accountContext(account)),
      };
      await db.transaction().execute(async (trx) => {
        if (isDefault) {
          const others = trx.updateTable('accounts').set({ is_default: 0 }).where('server', '=', server);
          await others.where('owner', '=', owner).where('id', '<>', id).execute();
        }
        await trx
          .insertInto('accounts')
          .values({ id, ...row })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute();
      });
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
