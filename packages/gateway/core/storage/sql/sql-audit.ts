import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import type { Clock } from '../../../../toolwharf/kernel/clock.ts';
import { parseExactly } from '../../../../toolwharf/kernel/exact-json.ts';
import { actPrefix } from '../../../../toolwharf/storage/audit/acts.ts';
import type { Audit } from '../../../../toolwharf/storage/ports/audit.ts';
import { toIndexText } from '../chain/call-columns.ts';
import { type ChainSource, exportActs, exportChain } from '../chain/chain.ts';
import { verifyChain } from '../chain/verify-chain.ts';
import { toStorageError, translateIteration } from '../translate-errors.ts';
import { type AppendSteps, lockChain, toEnds } from './append-steps.ts';
import type { Database, Engine, Ownership } from './engine.ts';
import { retainCalls } from './retain-calls.ts';
import { toStepWrite } from './step-write.ts';

const recoveredAtOnce = 200;

/** A script that stops each process that runs it must not stop them all. */
const maxContinuations = 5;

/** The audit of a journal in a database. */
export function createSqlAudit(
  { db, spool, shrink }: Engine,
  ports: { readonly ownership: Ownership; readonly append: AppendSteps; readonly clock: Clock },
): Audit {
  const source = createSqlChainSource(db);

  /** Reads after pending steps have reached the tables. */
  async function* afterDrain<Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    await spool?.drain();
    yield* read();
  }

  const scripts: CallRecord[] = [];
  return {
    verify: () => translateIteration(afterDrain(() => verifyChain(source))),
    export: (options) => translateIteration(afterDrain(() => exportChain(source, options))),
    acts: (after) => translateIteration(afterDrain(() => exportActs(source, after))),
    async record(act) {
      const { append } = ports;
      try {
        await spool?.drain();
        await db.transaction().execute(async (trx) => {
          const { head } = await lockChain(trx);
          const callId = `${actPrefix}${randomUUID()}`;
          await append(trx, head, [{ callId, at: act.at, body: JSON.stringify(act), mustSync: true }]);
        });
      } catch (cause) {
        throw toStorageError(cause, 'JOURNAL_UNAVAILABLE');
      }
    },
    async ends() {
      try {
        await spool?.drain();
        return await source.ends();
      } catch (cause) {
        throw toStorageError(cause);
      }
    },
    async retain(options) {
      try {
        await spool?.drain();
        const removed = await retainCalls(db, options, ports.clock);
        // The rows are removed, whether or not the file gets smaller: the next removal tries again.
        await shrink?.(options.signal).catch(() => {});
        return removed;
      } catch (cause) {
        throw options.signal?.aborted ? cause : toStorageError(cause);
      }
    },
    async recover() {
      try {
        await spool?.drain();
        return await recoverCalls(db, { ...ports, onScript: (script) => scripts.push(script) });
      } catch (cause) {
        throw toStorageError(cause);
      }
    },
    takeScripts: () => scripts.splice(0),
  };
}

/** The journal in a database as a source for verification and export. */
export function createSqlChainSource(db: Database): ChainSource {
  const selectSteps = () =>
    db.selectFrom('steps').select(['seq', 'call_id as callId', 'at', 'body', 'previous', 'hash']);
  return {
    async ends() {
      return toEnds(await db.selectFrom('chain').selectAll().where('id', '=', 1).executeTakeFirst());
    },
    async steps(after, limit) {
      return selectSteps().where('seq', '>', after).orderBy('seq').limit(limit).execute();
    },
    async acts(after, upTo) {
      return selectSteps()
        .where('seq', '>', after)
        .where('seq', '<=', upTo)
        .where(sql<boolean>`substr(call_id, 1, ${actPrefix.length}) = ${actPrefix}`)
        .orderBy('seq')
        .execute();
    },
    async listed(callIds) {
      return db
        .selectFrom('calls')
        .select(['id', 'seq', 'server', 'tool', 'original_name', 'caller', 'parent', 'status', 'created_at'])
        .select(['outcome', 'duration_ms'])
        .where('id', 'in', [...new Set(callIds.map(toIndexText))])
        .execute();
    },
    async orphans() {
      return db
        .selectFrom('calls')
        .leftJoin('steps', 'steps.seq', 'calls.seq')
        .select(['calls.id', 'calls.seq'])
        .where('steps.seq', 'is', null)
        .limit(100)
        .execute();
    },
  };
}

/**
 * Ends the open calls of processes that are gone, in batches; returns how many. A call that waits for approval and a script stay
 * open: this process becomes their owner and can continue them.
 */
async function recoverCalls(db: Database, { ownership, append, clock, onScript }: RecoverPorts): Promise<number> {
  await ownership.ensureRegistered();
  if (ownership.hasLost && !(await ownership.hasLost())) return 0;
  let last = 0;
  for (let recovered = 0; ; await nextTurn()) {
    const [count, records] = await db.transaction().execute(async (trx) => {
      const { head } = await lockChain(trx);
      await ownership.removeExpired(trx);
      const open = await trx
        .selectFrom('calls')
        .innerJoin('steps', 'steps.seq', 'calls.seq')
        .select(['steps.body', 'calls.seq'])
        .where(sql<boolean>`calls.status <> 'success'`)
        .where('calls.status', 'in', ['pending', 'running'])
        .where('calls.owner', 'not in', (owners) => owners.selectFrom('owners').select('id'))
        .where('calls.seq', '>', last)
        .orderBy('calls.seq')
        .limit(recoveredAtOnce)
        .execute();
      last = open.at(-1)?.seq ?? last;
      const records = open.flatMap(({ body }) => parseRecord(body) ?? []);
      const at = new Date(clock.now()).toISOString();
      if (records.length > 0) {
        await append(
          trx,
          head,
          records.map((record) => toStepWrite(mayContinue(record) ? record : endAbandoned(record, at), at)),
        );
      }
      return [open.length, records] as const;
    });
    for (const record of records.filter(isOpenScript)) onScript(record);
    recovered += records.filter((record) => !mayContinue(record)).length;
    if (count < recoveredAtOnce) return recovered;
  }
}

interface RecoverPorts {
  readonly ownership: Ownership;
  readonly append: AppendSteps;
  readonly clock: Clock;
  /** Receives each script that was left open. */
  readonly onScript: (script: CallRecord) => void;
}

/** The record of a step; undefined if it is malformed, which the verification of the journal reports. */
function parseRecord(body: string): CallRecord | undefined {
  try {
    return parseExactly(body) as CallRecord;
  } catch {
    return undefined;
  }
}

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
function endAbandoned(record: CallRecord, completedAt: string): CallRecord {
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
