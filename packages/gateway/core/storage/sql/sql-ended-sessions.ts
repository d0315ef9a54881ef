import { sql } from 'kysely';
import type { Clock } from '../../../../toolwharf/kernel/clock.ts';
import type { EndedSessionStore } from '../../../../toolwharf/storage/ports/ended-session-store.ts';
import type { Engine } from './engine.ts';

/** Ended sessions in a database. Positions follow the order of commits, so that a reader misses none. */
export function createSqlEndedSessions({ db }: Engine, clock: Clock): EndedSessionStore {
  return {
    async add({ id, owner, expiresAt }) {
      await db.transaction().execute(async (trx) => {
        // The lock on this row lasts until the commit.
        const { revision: seq } = await trx
          .updateTable('revisions')
          .set({ revision: sql<number>`revision + 1` })
          .where('topic', '=', 'ended_sessions')
          .returning('revision')
          .executeTakeFirstOrThrow();
        await trx.deleteFrom('ended_sessions').where('expires_at', '<', clock.now()).execute();
        if (id === undefined) {
          const included = trx.deleteFrom('ended_sessions').where('owner', '=', owner);
          await included.where('expires_at', '<=', expiresAt).execute();
        }
        await trx
          .insertInto('ended_sessions')
          .values({ id: id ?? `${allOf}${owner}`, owner, expires_at: expiresAt, seq })
          // A later end of all sessions includes an earlier one.
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires_at: expiresAt, seq }))
          .execute();
      });
    },
    async list(after) {
      const rows = await db
        .selectFrom('ended_sessions')
        .select(['id', 'owner', 'expires_at', 'seq'])
        .where('seq', '>', after)
        .where('expires_at', '>=', clock.now())
        .orderBy('seq')
        .execute();
      const ended = rows.map(({ id, owner, expires_at: expiresAt }) =>
        id === `${allOf}${owner}` ? { owner, expiresAt } : { id, owner, expiresAt },
      );
      return { ended, position: rows.at(-1)?.seq ?? after };
    },
  };
}

/** Precedes the owner in the id of a row that ends several sessions. */
const allOf = 'all of ';
