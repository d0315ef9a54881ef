import { sql } from 'kysely';
import { summaryOf } from '../call-records.ts';
import { callColumns } from '../chain/call-columns.ts';
import type { AppendBatch, BatchOutcome, BatchStep, Database } from '../sql/engine.ts';

/** Longer batches are written by several statements, so that no parameter becomes too large. */
const maxTextLength = 8_000_000;

/** Appends to the journal with one statement, which is a transaction of its own. */
export function createAppendBatch(db: Database): AppendBatch {
  async function append(owner: string, steps: readonly BatchStep[]): Promise<readonly BatchOutcome[]> {
    const calls = steps.map(({ record }) => (record ? callColumns(record) : undefined));
    const { rows } = await sql<{ outcomes: BatchOutcome[] }>`
      select toolwharf_append_steps(
        ${owner}::text,
        ${steps.map(({ epoch }) => epoch ?? null)}::bigint[],
        ${steps.map(({ callId }) => callId)}::text[],
        ${steps.map(({ callId }) => JSON.stringify(callId))}::text[],
        ${steps.map(({ at }) => at)}::text[],
        ${steps.map(({ body }) => body)}::text[],
        ${steps.map(({ record, body }) => (record && summaryOf(record, body)) ?? null)}::text[],
        ${calls.map((call) => call?.id ?? null)}::text[],
        ${calls.map((call) => call?.server ?? null)}::text[],
        ${calls.map((call) => call?.tool ?? null)}::text[],
        ${calls.map((call) => call?.original_name ?? null)}::text[],
        ${calls.map((call) => call?.caller ?? null)}::text[],
        ${calls.map((call) => call?.parent ?? null)}::text[],
        ${calls.map((call) => call?.status ?? null)}::text[],
        ${calls.map((call) => call?.created_at ?? null)}::bigint[]
      ) as outcomes`.execute(db);
    return rows[0]?.outcomes ?? [];
  }

  return async (owner, steps) => {
    const outcomes: BatchOutcome[] = [];
    for (let start = 0; start < steps.length; ) {
      let end = start;
      for (let length = 0; end < steps.length && (end === start || length < maxTextLength); end++)
        length += steps[end]?.body.length ?? 0;
      outcomes.push(...(await append(owner, steps.slice(start, end))));
      start = end;
    }
    return outcomes;
  };
}
