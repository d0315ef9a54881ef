import { sql } from 'kysely';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import { type KeyClaim, leaseLost } from '../../../../toolwharf/invocation/journal.ts';
import { hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';
import { type Clock, isoTime } from '../../../../toolwharf/kernel/clock.ts';
import { overlayCalls, parseRecord } from '../../../../toolwharf/storage/call-records.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { ClosingJournal } from '../retry-ends.ts';
import { toStorageError } from '../translate-errors.ts';
import { type AppendSteps, lockChain } from './append-steps.ts';
import type { BatchOutcome, BatchStep, Engine, Ownership } from './engine.ts';
import { createGroupCommit } from './group-commit.ts';
import { listCalls } from './list-calls.ts';
import { type StepWrite, toStepWrite } from './step-write.ts';
import type { Tables } from './tables.ts';

export interface SqlJournalOptions {
  readonly ownership: Ownership;
  readonly append: AppendSteps;
  readonly maxResultBytes: number;
  readonly clock: Clock;
}

/** The journal in a database. A write resolves once it is durable, in the tables or in the spool file. */
export function createSqlJournal({ db, spool, appendBatch }: Engine, options: SqlJournalOptions): ClosingJournal {
  const { ownership, append, maxResultBytes, clock } = options;
  let closed = false;

  const commits = createGroupCommit<PendingStep>(async (all) => {
    const latest = latestOf(all);
    if (!appendBatch) {
      await db.transaction().execute(async (trx) => append(trx, (await lockChain(trx)).head, latest));
      return;
    }
    const outcomes = await appendBatch(ownership.id, latest);
    const byCall = new Map(latest.map(({ callId }, at) => [callId, outcomes[at]]));
    for (const step of all) step.outcome = byCall.get(step.callId);
  });

  /** Moves pending steps into the tables; returns those that the tables do not accept now. */
  async function drainSpool(): Promise<ReadonlyMap<string, CallRecord>> {
    await commits.idle();
    try {
      await spool?.drain();
      return new Map();
    } catch {
      const pending = spool?.pending() ?? [];
      return new Map(pending.map(({ body }) => parseRecord(body)).map((record) => [record.id, record]));
    }
  }

  /** Takes a key whose process is gone without having recorded the call. Without its lease, it cannot record it later. */
  async function takeOver(key: string, callId: string, claim: Partial<Tables['claims']>): Promise<boolean> {
    if ((await drainSpool()).size > 0) return false;
    const { numUpdatedRows } = await db
      .updateTable('claims')
      .set(claim)
      .where('key', '=', key)
      .where('call_id', '=', callId)
      .where(sql<boolean>`not exists (select 1 from calls where calls.id = ${toIndexText(callId)})`)
      .where(sql<boolean>`not exists (
        select 1 from owners
        where owners.id = claims.owner and (claims.epoch is null or claims.epoch = owners.epoch))`)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Takes a key whose call was surely not sent, unless another call has taken it meanwhile. */
  async function takeUnsent(
    key: string,
    { callId, claimedAt = 0 }: KeyClaim,
    claim: Partial<Tables['claims']>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('claims')
      .set({ ...claim, claimed_at: Math.max(clock.now(), claimedAt + 1) })
      .where('key', '=', key)
      .where('call_id', '=', callId)
      .where('claimed_at', '=', claimedAt)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async function commit(step: StepWrite, epoch: number | undefined): Promise<void> {
    try {
      // The end of a call that was sent is recorded in any case. It does not make anything run.
      const fenced: PendingStep = { ...step, epoch: epoch ?? (step.mustSync ? ownership.lease?.epoch : undefined) };
      await commits.add(fenced);
      if (fenced.outcome === 'ended') throw new ToolwharfError('CONFLICT', 'The call with this id has ended');
      if (fenced.outcome !== 'lost') return;
    } catch (cause) {
      throw toJournalError(cause);
    }
    ownership.renew().catch(() => {});
    throw leaseLost();
  }

  return {
    write(record, epoch) {
      if (closed) return Promise.reject(new ToolwharfError('JOURNAL_UNAVAILABLE', 'The journal is closed'));
      try {
        const step = toStepWrite(record, isoTime(clock.now()), maxResultBytes);
        if (!spool) return commit(step, epoch);
        const { callId, at, body, mustSync } = step;
        return spool.append({ owner: ownership.id, callId, at, body, mustSync }).catch(failWrite);
      } catch (cause) {
        return Promise.reject(cause);
      }
    },
    async get(id) {
      const pending = await drainSpool();
      if (pending.has(id)) return pending.get(id);
      const found = await db
        .selectFrom('calls')
        .innerJoin('steps', 'steps.seq', 'calls.seq')
        .select('steps.body')
        .where('calls.id', '=', toIndexText(id))
        .executeTakeFirst();
      return found && parseRecord(found.body);
    },
    async list(filter = {}) {
      const pending = await drainSpool();
      return overlayCalls(await listCalls(db, filter), pending, filter);
    },
    async claim(claim, unsent) {
      const { caller, key: name, fingerprint, callId, epoch } = claim;
      const key = hashOf([caller, name]);
      const claimed = { call_id: callId, claimed_at: clock.now(), owner: ownership.id, epoch: epoch ?? null };
      if (unsent && (await takeUnsent(key, unsent, { ...claimed, fingerprint }))) return undefined;
      for (;;) {
        const taken = await db
          .insertInto('claims')
          .values({ key, fingerprint, ...claimed })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .executeTakeFirst();
        if (taken.numInsertedOrUpdatedRows === 1n) return undefined;
        const holder = await db.selectFrom('claims').selectAll().where('key', '=', key).executeTakeFirst();
        // The claim may have been removed meanwhile, together with its call.
        if (!holder) continue;
        const mayBeFree = holder.fingerprint === fingerprint && holder.owner !== null;
        if (mayBeFree && (await takeOver(key, holder.call_id, claimed))) return undefined;
        const { call_id: holderId, claimed_at: claimedAt } = holder;
        return { caller, key: name, fingerprint: holder.fingerprint, callId: holderId, claimedAt };
      }
    },
    async idle() {
      await drainSpool();
    },
    async finish() {
      closed = true;
      await drainSpool();
    },
  };
}

function toJournalError(cause: unknown): ToolwharfError {
  return toStorageError(cause, 'JOURNAL_UNAVAILABLE');
}

function failWrite(cause: unknown): never {
  throw toJournalError(cause);
}

interface PendingStep extends BatchStep {
  /** Set when the step was written or refused. */
  outcome?: BatchOutcome;
}

/** The latest write of each call: earlier ones of the same batch are superseded. */
function latestOf(writes: readonly PendingStep[]): readonly PendingStep[] {
  const latest = new Map(writes.map((write) => [write.callId, write]));
  return latest.size === writes.length ? writes : [...latest.values()];
}
