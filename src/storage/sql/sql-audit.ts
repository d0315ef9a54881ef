import { randomUUID } from 'node:crypto';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { Clock } from '../../kernel/clock.ts';
import { actPrefix } from '../audit/acts.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { ChainSource } from '../chain/chain.ts';
import { exportChain } from '../chain/chain.ts';
import { verifyChain } from '../chain/verify-chain.ts';
import type { Audit } from '../ports/audit.ts';
import { toStorageError, translateIteration } from '../translate-errors.ts';
import { type AppendSteps, lockChain } from './append-steps.ts';
import type { Database, Engine, Ownership } from './engine.ts';
import { recoverCalls } from './recover-calls.ts';
import { retainCalls } from './retain-calls.ts';

/** The audit of a journal in a database. */
export function createSqlAudit(
  { db, spool }: Engine,
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
      await spool?.drain();
      return source.ends();
    },
    async retain(options) {
      try {
        await spool?.drain();
        return await retainCalls(db, options, ports.clock);
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
  return {
    async ends() {
      const row = await db.selectFrom('chain').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
      return {
        anchor: { seq: row.anchor_seq, hash: row.anchor_hash },
        head: { seq: row.head_seq, hash: row.head_hash },
      };
    },
    async steps(after, limit) {
      return db
        .selectFrom('steps')
        .select(['seq', 'call_id as callId', 'at', 'body', 'previous', 'hash'])
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
    },
    async listed(callIds) {
      return db
        .selectFrom('calls')
        .select(['id', 'seq', 'server', 'tool', 'original_name', 'caller', 'parent', 'status', 'created_at'])
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
