import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { CountedPeriod, RuleDecisions } from '../../../../toolwharf/storage/ports/call-counts.ts';
import type { Engine } from './engine.ts';

interface DecisionRow {
  readonly rule: string;
  readonly mode: string;
  readonly effect: string;
}

/** Counts the decisions that records of calls name, where the records are. */
export async function countRules(
  { db, exclusive, readInThread }: Pick<Engine, 'db' | 'exclusive' | 'readInThread'>,
  { since, until, bucketMs }: CountedPeriod,
  latest: number,
): Promise<readonly RuleDecisions[]> {
  const read = async <Row>(compiled: CompiledQuery<Row>): Promise<readonly Row[]> =>
    readInThread
      ? ((await readInThread(compiled.sql, compiled.parameters)) as Row[])
      : (await db.executeQuery(compiled)).rows;
  const decisions = exclusive ? sqliteDecisions : postgresDecisions;
  const found = sql`
    with decisions as (${decisions} where calls.created_at >= ${since} and calls.created_at < ${until}
      and steps.body like '%"policy":[{%')`;
  // Whole numbers in the text: as parameters, SQLite would divide them as fractions.
  const bucket = sql<number>`(created_at - ${sql.lit(since)}) / ${sql.lit(bucketMs)}`;
  const counted = await read(
    sql<DecisionRow & { bucket: number | string; calls: number | string }>`${found}
      select rule, mode, effect, ${bucket} as bucket, count(*) as calls from decisions
      where effect <> 'allow' group by 1, 2, 3, 4 order by 1, 2, 3, 4`.compile(db),
  );
  const calls = await read(
    sql<DecisionRow & { id: string; tool: string; created_at: number | string }>`${found}
      select rule, mode, effect, id, tool, created_at from (
        select decisions.*, row_number() over (
          partition by rule, mode, effect order by created_at desc, first_seq desc) as place
        from decisions where effect <> 'allow') as ranked
      where place <= ${latest} order by created_at desc, first_seq desc`.compile(db),
  );
  const keyOf = ({ rule, mode, effect }: DecisionRow) => JSON.stringify([rule, mode, effect]);
  const callsOf = Map.groupBy(calls, keyOf);
  return [...Map.groupBy(counted, keyOf)].flatMap(([key, rows]) => {
    const [first] = rows;
    if (!first) return [];
    return {
      ...{ id: first.rule, mode: first.mode, effect: first.effect },
      buckets: rows.map((row) => ({ bucket: Number(row.bucket), calls: Number(row.calls) })),
      latest: (callsOf.get(key) ?? []).map(({ id, tool, created_at: at }) => ({ id, tool, at: Number(at) })),
    };
  });
}

const columns = 'calls.id, calls.tool, calls.created_at, calls.first_seq';

/** The decisions of each call. A record that was cut has none. */
const sqliteDecisions: RawBuilder<unknown> = sql.raw(`
  select ${columns}, json_extract(decision.value, '$.id') as rule, json_extract(decision.value, '$.mode') as mode,
    json_extract(decision.value, '$.effect') as effect
  from calls join steps on steps.seq = calls.seq
  join json_each(case when json_valid(steps.body) then coalesce(json_extract(steps.body, '$.policy'), '[]') else '[]' end) as decision`);
const postgresDecisions: RawBuilder<unknown> = sql.raw(`
  select ${columns}, decision.value ->> 'id' as rule, decision.value ->> 'mode' as mode, decision.value ->> 'effect' as effect
  from calls join steps on steps.seq = calls.seq
  cross join lateral json_array_elements(coalesce(cast(steps.body as json) -> 'policy', '[]')) as decision (value)`);
