import { type Compilable, CompiledQuery } from 'kysely';
import { summaryOf } from '../../../../toolwharf/storage/call-records.ts';
import type { Link } from '../../../../toolwharf/storage/chain/chain-link.ts';
import { callColumns } from '../chain/call-columns.ts';
import { linkSteps } from '../chain/chain.ts';
import type { Database, Writing } from './engine.ts';
import { parseRow } from './parse-row.ts';
import type { StepWrite } from './step-write.ts';
import type { Tables } from './tables.ts';

export type AppendSteps = (trx: Writing, head: Link, writes: readonly StepWrite[]) => Promise<void>;

/** Appends to the journal and updates the list of calls. `head` comes from `lockChain` in the same transaction. */
export function createAppendSteps({ db }: { readonly db: Database }, owner: string): AppendSteps {
  const insertSteps = createRowInsert(db, exampleStep, (to, rows) => to.insertInto('steps').values(rows));
  const upsertCalls = createRowInsert(db, exampleCall, (to, rows) =>
    to
      .insertInto('calls')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((row) => ({
          seq: row.ref('excluded.seq'),
          owner: row.ref('excluded.owner'),
          server: row.ref('excluded.server'),
          tool: row.ref('excluded.tool'),
          original_name: row.ref('excluded.original_name'),
          caller: row.ref('excluded.caller'),
          parent: row.ref('excluded.parent'),
          status: row.ref('excluded.status'),
          created_at: row.ref('excluded.created_at'),
          outcome: row.ref('excluded.outcome'),
          duration_ms: row.ref('excluded.duration_ms'),
        })),
      ),
  );

  return async (trx, head, writes) => {
    const { steps, calls } = toRows(head, writes, owner);
    await insertSteps(trx, steps);
    for (const [at, { record, body }] of writes.entries()) {
      const summary = record && summaryOf(record, body);
      const seq = steps[at]?.seq;
      if (summary !== undefined && seq !== undefined)
        await trx.insertInto('summaries').values({ seq, body: summary }).execute();
    }
    await upsertCalls(trx, calls);
    const { seq, hash } = steps.at(-1) ?? head;
    await trx.updateTable('chain').set({ head_seq: seq, head_hash: hash }).where('id', '=', 1).execute();
  };
}

function toRows(head: Link, writes: readonly StepWrite[], owner: string) {
  const steps = linkSteps(head, writes).map(({ callId, ...step }) => ({ ...step, call_id: callId }));
  const calls = new Map<string, Tables['calls']>();
  for (const [at, { record }] of writes.entries()) {
    if (!record) continue;
    const seq = steps[at]?.seq ?? 0;
    const columns = callColumns(record);
    calls.set(columns.id, { ...columns, seq, first_seq: calls.get(columns.id)?.first_seq ?? seq, owner });
  }
  return { steps, calls: [...calls.values()] };
}

/** Locks the ends of the journal until the transaction ends. */
export async function lockChain(trx: Writing): Promise<{ readonly anchor: Link; readonly head: Link }> {
  // An update of the row is a lock in both databases.
  const row = await trx
    .updateTable('chain')
    .set((chain) => ({ head_seq: chain.ref('head_seq') }))
    .where('id', '=', 1)
    .returningAll()
    .executeTakeFirst();
  return toEnds(row);
}

/** The ends of the journal. Without them, no step would be missed. */
export function toEnds(row: Tables['chain'] | undefined): { readonly anchor: Link; readonly head: Link } {
  return parseRow('chain', '1', () => {
    if (!row || ![row.anchor_seq, row.head_seq].every(Number.isSafeInteger)) throw new Error('The ends are missing');
    const { anchor_seq, anchor_hash, head_seq, head_hash } = row;
    return { anchor: { seq: anchor_seq, hash: anchor_hash }, head: { seq: head_seq, hash: head_hash } };
  });
}

const exampleStep: Tables['steps'] = { seq: 0, call_id: '', at: '', body: '', previous: '', hash: '' };
const exampleCall: Tables['calls'] = {
  id: '',
  seq: 0,
  first_seq: 0,
  owner: '',
  server: '',
  tool: '',
  original_name: '',
  caller: '',
  parent: '',
  status: 'pending',
  created_at: 0,
  outcome: 'pending',
  duration_ms: 0,
};

const sizes = [64, 16, 4, 1];

/**
 * Inserts any number of rows with statements of a few fixed sizes. They are built once and stay prepared, since building a
 * query costs more than running it.
 */
export function createRowInsert<Row extends object>(
  db: Database,
  example: Row,
  build: (db: Database, rows: readonly Row[]) => Compilable,
): (trx: Writing, rows: readonly Row[]) => Promise<void> {
  const columns = Object.keys(example) as (keyof Row)[];
  const statements = new Map<number, string>();

  /** Compiled with the first use of its size: large statements take milliseconds. */
  function statementFor(size: number): string {
    const statement = statements.get(size) ?? build(db, Array(size).fill(example)).compile().sql;
    statements.set(size, statement);
    return statement;
  }

  return async (trx, rows) => {
    let start = 0;
    for (const size of sizes) {
      for (; rows.length - start >= size; start += size) {
        const values = rows.slice(start, start + size).flatMap((row) => columns.map((column) => row[column]));
        await trx.executeQuery(CompiledQuery.raw(statementFor(size), values));
      }
    }
  };
}
