import { sql } from 'kysely';
import type { PlacementStore } from '../ports/placement-store.ts';
import type { Database } from '../sql/engine.ts';
import { databaseNow } from './lease.ts';

/** Owners of servers, in a table. The term decides between replicas that take a server at the same time. */
export function createPostgresPlacements(db: Database, replica: string): PlacementStore {
  const isHeld = sql<boolean>`exists (
    select from owners
    where owners.id = placements.replica and owners.epoch = placements.epoch and owners.expires_at >= ${databaseNow}
  )`;
  return {
    async list() {
      return db
        .selectFrom('placements')
        .select(['server', 'replica', 'term', isHeld.as('isHeld')])
        .execute();
    },
    async take(server, term, epoch) {
      const { rows } = await sql<{ term: number }>`
        insert into placements (server, replica, epoch, term)
        select ${server}, owners.id, owners.epoch, ${term + 1}::bigint from owners
        where owners.id = ${replica} and owners.epoch = ${epoch} and owners.expires_at >= ${databaseNow}
        on conflict (server) do update set replica = excluded.replica, epoch = excluded.epoch, term = excluded.term
        where placements.term = ${term} and (placements.replica = ${replica} or not ${isHeld})
        returning term`.execute(db);
      return rows[0]?.term;
    },
    async release(server, term) {
      await db
        .updateTable('placements')
        .set({ replica: '', epoch: 0, term: term + 1 })
        .where('server', '=', server)
        .where('replica', '=', replica)
        .where('term', '=', term)
        .execute();
    },
  };
}
