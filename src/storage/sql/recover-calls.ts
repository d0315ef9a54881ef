import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type AppendSteps, lockChain } from './append-steps.ts';
import type { Database, Ownership } from './engine.ts';
import { toStepWrite } from './step-write.ts';

const batch = 200;

/**
 * Ends the open calls of processes that are gone, in batches; returns how many. A call that waits for approval stays open: this
 * process becomes its owner and can continue it.
 */
export async function recoverCalls(
  db: Database,
  { ownership, append, clock }: { ownership: Ownership; append: AppendSteps; clock: Clock },
): Promise<number> {
  await ownership.ensureRegistered();
  for (let recovered = 0; ; await nextTurn()) {
    const [count, ended] = await db.transaction().execute(async (trx) => {
      const { head } = await lockChain(trx);
      await ownership.removeExpired(trx);
      const open = await trx
        .selectFrom('calls')
        .innerJoin('steps', 'steps.seq', 'calls.seq')
        .select('steps.body')
        .where(sql<boolean>`calls.status <> 'success'`)
        .where('calls.status', 'in', ['pending', 'running'])
        .where('calls.owner', 'not in', (owners) => owners.selectFrom('owners').select('id'))
        .orderBy('calls.seq')
        .limit(batch)
        .execute();
      const records: CallRecord[] = open.map(({ body }) => JSON.parse(body));
      const at = new Date(clock.now()).toISOString();
      if (records.length > 0) {
        await append(
          trx,
          head,
          records.map((record) => toStepWrite(isAwaiting(record) ? record : endAbandoned(record, at), at)),
        );
      }
      return [records.length, records.filter((record) => !isAwaiting(record)).length] as const;
    });
    recovered += ended;
    if (count < batch) return recovered;
  }
}

function isAwaiting({ status, awaiting }: CallRecord): boolean {
  return status === 'pending' && awaiting !== undefined;
}

/** How an open call of a process that is gone ends: a call that was sent may have run, any other did not run. */
export function endAbandoned(record: CallRecord, completedAt: string): CallRecord {
  if (record.status === 'running') {
    const message =
      'Toolwharf stopped while the call was on its way. Whether the tool ran is unknown; it was not sent again';
    return {
      ...record,
      status: 'error',
      end: 'unknown-outcome',
      completedAt,
      error: { code: 'OUTCOME_UNKNOWN', message },
    };
  }
  const message = 'Toolwharf stopped before the call was sent. The tool did not run';
  return { ...record, status: 'error', end: 'failed', completedAt, error: { code: 'TOOLBOX_CLOSED', message } };
}
