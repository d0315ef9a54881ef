import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { administrationTool } from '../../../../toolwharf/invocation/call-record.ts';
import {
  type CallCountQuery,
  type CallCounts,
  type CountedCalls,
  type CountedGroup,
  durationSteps,
} from '../../../../toolwharf/storage/ports/call-counts.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { Engine } from './engine.ts';
import { hasSearchedText } from './list-calls.ts';

interface PartRow extends Pick<CountedCalls, 'outcome'> {
  readonly calls: number | string;
  readonly duration: number | null;
}

/** Counts calls by grouping the index of all counted columns, which has them in the order of time. */
export async function countCalls(
  { db, readInThread }: Pick<Engine, 'db' | 'readInThread'>,
  query: CallCountQuery,
): Promise<CallCounts> {
  const read = async <Row>(compiled: CompiledQuery<Row>): Promise<readonly Row[]> =>
    readInThread
      ? ((await readInThread(compiled.sql, compiled.parameters)) as Row[])
      : (await db.executeQuery(compiled)).rows;
  const matching = matchingCalls(query);

  async function group(column: 'tool' | 'server' | 'caller'): Promise<readonly CountedGroup[]> {
    // An expression, so that SQLite does not use the index of the column, which lacks the other columns.
    const key = sql<string>`coalesce(${sql.ref(column)}, '')`;
    const keys = await read(
      sql<{ key: string; server: string | null; name: string }>`
        select ${key} as key, max(server) as server, max(original_name) as name from calls where ${matching}
        group by 1 order by count(*) desc, 1 limit ${query.busiest}`.compile(db),
    );
    if (keys.length === 0) return [];
    const rows = await read(
      sql<PartRow & { key: string }>`
        select ${key} as key, outcome, ${roundedDuration} as duration, count(*) as calls from calls
        where ${matching} and ${key} in (${sql.join(keys.map((row) => row.key))}) group by 1, 2, 3`.compile(db),
    );
    const parts = Map.groupBy(rows, (row) => row.key);
    return keys.map((row) => ({
      key: row.key,
      server: row.server ?? undefined,
      originalName: row.name,
      parts: (parts.get(row.key) ?? []).map(toPart),
    }));
  }

  // Whole numbers in the text: as parameters, SQLite would divide them as fractions.
  const bucket = sql<number>`(created_at - ${sql.lit(query.since)}) / ${sql.lit(query.bucketMs)}`;
  const buckets = await read(
    sql<PartRow & { bucket: number | string }>`
      select ${bucket} as bucket, outcome, ${roundedDuration} as duration, count(*) as calls from calls
      where ${matching} group by 1, 2, 3`.compile(db),
  );
  return {
    buckets: buckets.map((row) => ({ ...toPart(row), bucket: Number(row.bucket) })),
    tools: await group('tool'),
    servers: await group('server'),
    callers: await group('caller'),
  };
}

function matchingCalls({ since, until, caller, server, tool, search }: CallCountQuery): RawBuilder<boolean> {
  const conditions = [sql`created_at >= ${since}`, sql`created_at < ${until}`, sql`tool <> ${administrationTool}`];
  if (caller !== undefined) conditions.push(sql`caller = ${toIndexText(caller)}`);
  if (server !== undefined) conditions.push(sql`server = ${toIndexText(server)}`);
  if (tool !== undefined) conditions.push(sql`(tool = ${toIndexText(tool)} or original_name = ${toIndexText(tool)})`);
  if (search !== undefined) conditions.push(hasSearchedText(search));
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

const roundedDuration = sql<number | null>`case ${sql.join(
  durationSteps.map(
    ({ fromMs, stepMs }) =>
      sql`when duration_ms >= ${sql.lit(fromMs)} then duration_ms / ${sql.lit(stepMs)} * ${sql.lit(stepMs)}`,
  ),
  sql` `,
)} else duration_ms end`;

function toPart({ outcome, duration, calls }: PartRow): CountedCalls {
  return { outcome, durationMs: duration === null ? undefined : Number(duration), calls: Number(calls) };
}
