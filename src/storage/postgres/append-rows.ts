import { CompiledQuery } from 'kysely';
import type { AppendRows } from '../sql/engine.ts';

/** Appends a batch to the journal and updates the list of calls with one statement. */
export const appendRows: AppendRows = async (trx, { steps, calls }) => {
  const last = steps.at(-1);
  if (!last) return;
  const values = [last.seq, last.hash, ...columnsOf(stepColumns, steps), ...columnsOf(callColumns, calls)];
  await trx.executeQuery(CompiledQuery.raw(statement, values));
};

const stepColumns = {
  seq: 'bigint',
  call_id: 'text',
  at: 'text',
  body: 'text',
  previous: 'text',
  hash: 'text',
} as const;

const callColumns = {
  id: 'text',
  seq: 'bigint',
  first_seq: 'bigint',
  owner: 'text',
  server: 'text',
  tool: 'text',
  original_name: 'text',
  caller: 'text',
  parent: 'text',
  status: 'text',
  created_at: 'bigint',
} as const;

function columnsOf<Row extends object>(columns: { [Column in keyof Row]: string }, rows: readonly Row[]): unknown[][] {
  return (Object.keys(columns) as (keyof Row)[]).map((column) => rows.map((row) => row[column]));
}

/** `unnest` of the columns, as parameters from `first` on. */
function unnest(columns: Readonly<Record<string, string>>, first: number): string {
  const arrays = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as given (${Object.keys(columns).join(', ')})`;
}

const changing = Object.keys(callColumns).filter((column) => column !== 'id' && column !== 'first_seq');

const statement = `
  with moved as (
    update chain set head_seq = $1::bigint, head_hash = $2::text where id = 1
  ), added_steps as (
    insert into steps (${Object.keys(stepColumns).join(', ')}) select given.* from ${unnest(stepColumns, 3)}
  )
  insert into calls (${Object.keys(callColumns).join(', ')}) select given.* from ${unnest(callColumns, 9)}
  on conflict (id) do update set ${changing.map((column) => `${column} = excluded.${column}`).join(', ')}`;
