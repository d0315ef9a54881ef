import { toIndexText } from '../chain/call-columns.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import type { Database } from './engine.ts';

/** The journal in a database, for those who check and export it. */
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
    async strays() {
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
