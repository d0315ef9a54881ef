import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Kysely, sql } from 'kysely';
import type { Database, Ownership } from '../sql/engine.ts';
import type { Tables } from '../sql/tables.ts';

/** The time of the database in milliseconds, since the clocks of machines differ. */
export const databaseNow = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** Registers this process with a lease of `leaseMs` and renews it. A process whose lease expired counts as gone. */
export async function takeLease(db: Kysely<Tables>, leaseMs: number): Promise<Ownership> {
  const id = randomUUID();
  const renewMs = Math.ceil(leaseMs / 3);
  let enteredAt = Number.NEGATIVE_INFINITY;

  async function enter(to: Database): Promise<void> {
    const expires = { expires_at: sql<number>`${databaseNow} + ${leaseMs}` };
    await to
      .insertInto('owners')
      .values({ id, pid: process.pid, host: hostname(), ...expires })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(expires))
      .execute();
  }

  async function renew(): Promise<void> {
    const started = performance.now();
    await enter(db);
    enteredAt = started;
  }

  await renew();
  return {
    id,
    renewMs,
    renew,
    async ensureRegistered(trx) {
      // The lease may have expired and been removed: renew it. Not recorded as renewed, since the transaction can still fail.
      if (performance.now() - enteredAt > renewMs * 1.5) await enter(trx);
    },
    async removeExpired(trx) {
      const { numDeletedRows } = await trx
        .deleteFrom('owners')
        .where('expires_at', '<', databaseNow)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      await trx
        .deleteFrom('inbox')
        .where('target', 'not in', (owners) => owners.selectFrom('owners').select('id'))
        .execute();
    },
    async others() {
      const owners = await db
        .selectFrom('owners')
        .select(['pid', 'host'])
        .where('id', '!=', id)
        .where('expires_at', '>=', databaseNow)
        .execute();
      return owners.map(({ pid, host }) => `${pid} on ${host}`);
    },
    async release() {
      await db.deleteFrom('owners').where('id', '=', id).execute();
    },
  };
}
