import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../../../../toolwharf/kernel/clock.ts';
import type { RetainOptions } from '../../../../toolwharf/storage/ports/audit.ts';
import { lockChain } from './append-steps.ts';
import type { Database, Writing } from './engine.ts';

const idleClaimMs = 24 * 60 * 60 * 1_000;

interface Removed {
  readonly calls: number;
  readonly steps: number;
}

/** The steps that may be removed: up to a number, or before a time. */
interface Surplus {
  readonly seq: number;
  readonly before: string;
}

/** Removes the oldest steps in small transactions. The last removed link is kept, so that the rest can be verified. */
export async function retainCalls(db: Database, options: RetainOptions, clock: Clock): Promise<Removed> {
  const { maxAgeMs, batch = 500, signal } = options;
  const oldest = maxAgeMs === undefined ? undefined : clock.now() - maxAgeMs;
  const surplus: Surplus = {
    seq: options.maxCalls === undefined ? 0 : await surplusSeq(db, options.maxCalls),
    before: oldest === undefined ? '' : new Date(oldest).toISOString(),
  };
  const removed = { calls: 0, steps: 0 };
  for (; ; await nextTurn()) {
    signal?.throwIfAborted();
    const { calls, steps } = await db.transaction().execute((trx) => cut(trx, surplus, batch));
    removed.calls += calls;
    removed.steps += steps;
    if (steps === 0) break;
  }
  await removeIdleClaims(db, clock.now() - idleClaimMs);
  for (; oldest !== undefined; await nextTurn()) {
    signal?.throwIfAborted();
    if ((await removeApprovals(db, oldest, batch)) < batch) break;
  }
  return removed;
}

/** The last step of the newest call beyond `maxCalls`; 0 if there is none. */
async function surplusSeq(db: Database, maxCalls: number): Promise<number> {
  const call = await db
    .selectFrom('calls')
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(maxCalls)
    .limit(1)
    .executeTakeFirst();
  return call?.seq ?? 0;
}

async function cut(trx: Writing, surplus: Surplus, batch: number): Promise<Removed> {
  const { anchor } = await lockChain(trx);
  const open = await trx
    .selectFrom('calls')
    .select(({ fn }) => fn.min('seq').as('seq'))
    .where(sql<boolean>`status <> 'success'`)
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirst();
  const oldest = await trx
    .selectFrom('steps')
    .select(['seq', 'at', 'hash'])
    .where('seq', '>', anchor.seq)
    .orderBy('seq')
    .limit(batch)
    .execute();
  const end = open?.seq ?? Number.POSITIVE_INFINITY;
  const stay = oldest.findIndex(({ seq, at }) => seq >= end || (seq > surplus.seq && at >= surplus.before));
  const steps = stay < 0 ? oldest.length : stay;
  const last = oldest[steps - 1];
  if (!last) return { calls: 0, steps: 0 };
  const over = trx.selectFrom('calls').select('id').where('seq', '<=', last.seq);
  // An idempotency key is kept as long as its call.
  await trx.deleteFrom('claims').where('call_id', 'in', over).execute();
  const gone = await trx.deleteFrom('calls').where('seq', '<=', last.seq).executeTakeFirst();
  await trx.deleteFrom('summaries').where('seq', '<=', last.seq).execute();
  await trx.deleteFrom('steps').where('seq', '<=', last.seq).execute();
  await trx.updateTable('chain').set({ anchor_seq: last.seq, anchor_hash: last.hash }).where('id', '=', 1).execute();
  return { calls: Number(gone.numDeletedRows), steps };
}

/** Removes keys whose call was never recorded: there was no such tool, or the process ended first. */
async function removeIdleClaims(db: Database, before: number): Promise<void> {
  await db
    .deleteFrom('claims')
    .where('claimed_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('calls').select('calls.id').whereRef('calls.id', '=', 'claims.call_id'))),
    )
    .execute();
}

async function removeApprovals(db: Database, before: number, batch: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('approvals')
    .where('id', 'in', (approvals) =>
      approvals
        .selectFrom('approvals')
        .select('id')
        .where('asked_at', '<', before)
        .where('status', 'in', ['denied', 'expired', 'used'])
        .orderBy('asked_at')
        .limit(batch),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
