import { sql } from 'kysely';
import type { LimitStore, SyncedPermits } from '../../../../toolwharf/storage/ports/limit-store.ts';
import type { Database } from '../sql/engine.ts';
import { databaseNow } from './lease.ts';

/** Limits in tables that all replicas use. Permits and rates are functions of the database: one round trip each. */
export function createPostgresLimits(db: Database, replica: string): LimitStore {
  return {
    async syncPermits({ epoch, seq, held, wanted }) {
      const heldJson = held.map(({ pool, units, maxCallMs, limit }) => ({
        pool,
        units,
        max_call_ms: maxCallMs,
        max_units: limit,
      }));
      const wantedJson = wanted.map(({ pools, count, maxCallMs }) => ({ pools, count, max_call_ms: maxCallMs }));
      const { rows } = await sql<{ synced: SyncedPermits | null }>`
        select toolwharf_sync_permits(
          ${replica}, ${epoch}, ${seq}, ${JSON.stringify(heldJson)}::jsonb, ${JSON.stringify(wantedJson)}::jsonb
        ) as synced`.execute(db);
      return rows[0]?.synced ?? undefined;
    },
    async keepLostPermits(epoch, held) {
      const pools = Object.keys(held);
      await db.transaction().execute(async (trx) => {
        const lost = trx.deleteFrom('permits').where('replica', '=', replica).where('epoch', '=', epoch);
        await (pools.length > 0 ? lost.where('pool', 'not in', pools) : lost).execute();
        for (const [pool, units] of Object.entries(held)) {
          await trx
            .updateTable('permits')
            .set({ units })
            .where('replica', '=', replica)
            .where('epoch', '=', epoch)
            .where('pool', '=', pool)
            .where('units', '>', units)
            .execute();
        }
      });
    },
    async takeRate(server, { calls, perMs }) {
      const { rows } = await sql<{ wait: number }>`
        select toolwharf_take_rate(${server}, ${calls}, ${perMs}) as wait`.execute(db);
      return rows[0]?.wait ?? 0;
    },
    async countFailure(key, periodMs) {
      const { rows } = await sql<{ failures: number; left: number }>`
        insert into failed_sign_ins as known (key, failures, until)
        values (${key}, 1, ${databaseNow} + ${periodMs}::bigint)
        on conflict (key) do update set
          failures = case when known.until > ${databaseNow} then known.failures + 1 else 1 end,
          until = case when known.until > ${databaseNow} then known.until else excluded.until end
        returning failures, until - ${databaseNow} as left`.execute(db);
      const { failures = 1, left = periodMs } = rows[0] ?? {};
      if (failures === 1) await db.deleteFrom('failed_sign_ins').where('until', '<', databaseNow).execute();
      return { failures, leftMs: left };
    },
  };
}
