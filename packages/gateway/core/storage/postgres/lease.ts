import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Kysely, sql } from 'kysely';
import { createEvents } from '../../../../toolwharf/kernel/events.ts';
import { type Stopwatch, startStopwatch } from '../../../../toolwharf/kernel/stopwatch.ts';
import type { LostLease, ReplicaLease } from '../../../../toolwharf/storage/ports/replica-lease.ts';
import type { Ownership } from '../sql/engine.ts';
import type { Tables } from '../sql/tables.ts';

/** The time of the database in milliseconds, since the clocks of machines differ. */
export const databaseNow = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** The target of messages whose process was lost before it read them. */
const noTarget = '';

export interface PostgresLease extends Ownership {
  readonly lease: ReplicaLease;
  /** Facts about this process, which a new lease has from its start. */
  facts: string;
}

/**
 * Registers this process with a lease of `leaseMs`, which `renew` extends. Another process may remove an expired lease; its
 * epoch never returns: the next `renew` takes a new lease with a higher one. A lease that expired and was not removed is extended.
 */
export async function takeLease(db: Kysely<Tables>, leaseMs: number): Promise<PostgresLease> {
  const id = randomUUID();
  const renewMs = Math.ceil(leaseMs / 3);
  const events = createEvents<{ lost: LostLease }>();
  const expires = { expires_at: sql<number>`${databaseNow} + ${leaseMs}` };
  let epoch = 0;
  let lastEpoch = 0;
  let sinceRenewal: Stopwatch = () => Number.POSITIVE_INFINITY;
  let renewing: Promise<void> | undefined;

  function renew(): Promise<void> {
    renewing ??= renewOnce().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function renewOnce(): Promise<void> {
    const started = startStopwatch();
    const { numUpdatedRows } = await db
      .updateTable('owners')
      .set(expires)
      .where('id', '=', id)
      .where('epoch', '=', epoch)
      .executeTakeFirstOrThrow();
    const lost = { epoch, expiredMs: Math.max(0, sinceRenewal() - leaseMs) };
    const isLost = numUpdatedRows === 0n;
    if (isLost) epoch = await enter();
    sinceRenewal = started;
    if (isLost && lost.epoch > 0) events.emit('lost', lost);
  }

  /** Takes a new lease. A statement that failed may still be executed later, so each attempt has its own epoch. */
  async function enter(): Promise<number> {
    const next = ++lastEpoch;
    await db
      .insertInto('owners')
      .values({ id, epoch: next, pid: process.pid, host: hostname(), facts: ownership.facts, ...expires })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ epoch: next, ...expires })
          .where('owners.epoch', '<', next),
      )
      .execute();
    return next;
  }

  const lease: ReplicaLease = {
    get epoch() {
      return epoch;
    },
    isHeld(wanted) {
      const remaining = lease.remainingMs();
      // Something kept the process or the database busy, or a clock was set: find out whether the lease is still there.
      if (remaining < leaseMs / 2) renew().catch(() => {});
      return wanted === epoch && remaining > 0;
    },
    durationMs: leaseMs,
    remainingMs: () => leaseMs - sinceRenewal(),
    renew,
    onLost: (listener) => events.on('lost', listener),
  };
  const ownership: PostgresLease = {
    id,
    renewMs,
    renew,
    lease,
    facts: '{}',
    async ensureRegistered() {
      if (sinceRenewal() > renewMs * 1.5) await renew();
    },
    async hasLost() {
      const { rows } = await sql<{ lost: boolean }>`
        select exists (select from owners where expires_at < ${databaseNow} and id <> ${id}) or exists (
          select from calls
          where status <> 'success' and status in ('pending', 'running') and owner not in (select owners.id from owners)
        ) as lost`.execute(db);
      return rows[0]?.lost === true;
    },
    async removeExpired(trx) {
      const { numDeletedRows } = await trx
        .deleteFrom('owners')
        .where('expires_at', '<', databaseNow)
        .where('id', '!=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      // Senders take back the messages that the lost process has not read. The next removal deletes the messages that are left.
      await trx.deleteFrom('inbox').where('target', '=', noTarget).execute();
      await trx
        .updateTable('inbox')
        .set({ target: noTarget })
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
      // All calls have ended, so their permits are free at once. Those of a lost process are not.
      await db.deleteFrom('permits').where('replica', '=', id).execute();
      await db.deleteFrom('owners').where('id', '=', id).execute();
    },
  };
  await renew();
  return ownership;
}
