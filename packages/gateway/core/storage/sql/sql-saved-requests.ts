import { parseExactly, toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import {
  compareNames,
  type SavedRequest,
  type SavedRequestStore,
} from '../../../../toolwharf/storage/ports/saved-request-store.ts';
import type { Engine } from './engine.ts';

/** Saved requests in a database. */
export function createSqlSavedRequests({ db }: Engine): SavedRequestStore {
  return {
    async list(owner) {
      const rows = await db
        .selectFrom('saved_requests')
        .select('body')
        .where((where) => where.or([where('owner', '=', owner), where('shared', '=', 1)]))
        .execute();
      return rows.map(({ body }) => parseExactly(body) as SavedRequest).sort(compareNames);
    },
    async get(id) {
      const row = await db.selectFrom('saved_requests').select('body').where('id', '=', id).executeTakeFirst();
      return row && (parseExactly(row.body) as SavedRequest);
    },
    async count(owner) {
      const { count } = await db
        .selectFrom('saved_requests')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('owner', '=', owner)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async put(request) {
      const row = { owner: request.owner, shared: request.shared ? 1 : 0, body: toJsonText(request) };
      await db
        .insertInto('saved_requests')
        .values({ id: request.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('saved_requests').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
