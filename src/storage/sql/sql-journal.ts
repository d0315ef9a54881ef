import type { Journal } from '../../invocation/journal.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { toIndexText } from '../chain/call-columns.ts';
import { limitResult } from '../limit-result.ts';
import { toStorageError } from '../translate-errors.ts';
import { type AppendSteps, lockChain, type StepWrite, toStepWrite } from './append-steps.ts';
import type { Engine, Ownership } from './engine.ts';
import { createGroupCommit } from './group-commit.ts';
import { listCalls } from './list-calls.ts';

export interface SqlJournalOptions {
  readonly ownership: Ownership;
  readonly append: AppendSteps;
  readonly maxResultBytes: number;
  readonly clock: Clock;
}

export interface SqlJournal extends Journal {
  /** Refuses further writes and waits for those under way. */
  finish(): Promise<void>;
}

/** The journal in a database: a write resolves once its transaction is on disk. */
export function createSqlJournal({ db }: Engine, options: SqlJournalOptions): SqlJournal {
  const { ownership, append, maxResultBytes, clock } = options;
  let closed = false;

  const commits = createGroupCommit<StepWrite>(async (writes) => {
    try {
      await db.transaction().execute(async (trx) => {
        await ownership.keep(trx);
        const { head } = await lockChain(trx);
        await append(trx, head, writes);
      });
    } catch (cause) {
      throw toStorageError(cause, 'JOURNAL_UNAVAILABLE');
    }
  });

  return {
    async write(record) {
      if (closed) throw new ToolwharfError('JOURNAL_UNAVAILABLE', 'The journal is closed');
      const at = new Date(clock.now()).toISOString();
      await commits.add(toStepWrite(limitResult(record, maxResultBytes), at));
    },
    async get(id) {
      const found = await db
        .selectFrom('calls')
        .innerJoin('steps', 'steps.seq', 'calls.seq')
        .select('steps.body')
        .where('calls.id', '=', toIndexText(id))
        .executeTakeFirst();
      return found && JSON.parse(found.body);
    },
    list: (filter = {}) => listCalls(db, filter),
    async claim(claim) {
      const { caller, key: name, fingerprint, callId } = claim;
      const key = hashOf([caller, name]);
      for (;;) {
        const taken = await db
          .insertInto('claims')
          .values({ key, fingerprint, call_id: callId, claimed_at: clock.now() })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .executeTakeFirst();
        if (taken.numInsertedOrUpdatedRows === 1n) return undefined;
        const holder = await db.selectFrom('claims').selectAll().where('key', '=', key).executeTakeFirst();
        // It can be gone again: the oldest are removed with their calls.
        if (holder) return { caller, key: name, fingerprint: holder.fingerprint, callId: holder.call_id };
      }
    },
    async finish() {
      closed = true;
      await commits.idle();
    },
  };
}
