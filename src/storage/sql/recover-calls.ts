import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type AppendSteps, lockChain } from './append-steps.ts';
import type { Database, Ownership } from './engine.ts';
import { toStepWrite } from './step-write.ts';

const batch = 200;

/**
 * Ends the open calls of processes that are gone, in batches; returns how many. A call that waits for approval and a script stay
 * open: this process becomes their owner and can continue them.
 */
export async function recoverCalls(
  db: Database,
  { ownership, append, clock, onScript }: RecoverPorts,
): Promise<number> {
  await ownership.ensureRegistered();
  if (ownership.hasLost && !(await ownership.hasLost())) return 0;
  for (let recovered = 0; ; await nextTurn()) {
    const [count, records] = await db.transaction().execute(async (trx) => {
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
          records.map((record) => toStepWrite(mayContinue(record) ? record : endAbandoned(record, at), at)),
        );
      }
      return [records.length, records] as const;
    });
    for (const record of records.filter(isOpenScript)) onScript(record);
    recovered += records.filter((record) => !mayContinue(record)).length;
    if (count < batch) return recovered;
  }
}

export interface RecoverPorts {
  readonly ownership: Ownership;
  readonly append: AppendSteps;
  readonly clock: Clock;
  /** Receives each script that was left open. */
  readonly onScript: (script: CallRecord) => void;
}

/** A script that stops each process that runs it must not stop them all. */
const maxContinuations = 5;

function mayContinue(record: CallRecord): boolean {
  return isAwaiting(record) || isOpenScript(record);
}

function isOpenScript({ status, script }: CallRecord): boolean {
  return status === 'running' && script !== undefined && (script.continued ?? 0) < maxContinuations;
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
