import type { MetaStore } from '../storage.ts';
import type { Database } from './engine.ts';

/** Small named texts in a database. */
export function createSqlMeta(db: Database): MetaStore {
  return {
    async get(name) {
      const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value;
    },
    async set(name, value) {
      await db
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
