import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallStats } from '../../packages/gateway/core/calls/call-stats.ts';
import { createPostgresEngine } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import { countCalls } from '../../packages/gateway/core/storage/sql/count-calls.ts';
import { openSql } from '../../packages/gateway/core/storage/sql/open-sql.ts';
import { openSqliteEngine } from '../../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import type { CallCountQuery } from '../../packages/toolwharf/storage/ports/call-counts.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createPostgresWorkspace, createSqliteWorkspace } from './kinds.ts';
import { at } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const calls = 50_000;
/** Seconds 1 to 50 000, 10 tools of 5 servers, 3 callers; each twentieth failed; durations of 1 to 100 ms. */
const insertCalls = (series: string) => `
  insert into calls (id, seq, first_seq, owner, server, tool, original_name, caller, status, created_at, outcome, duration_ms)
  select 'call-' || n, -n, -n, 'none', 'server-' || (n % 5), 'server-' || (n % 5) || '__tool-' || (n % 10), 'tool-' || (n % 10),
    'caller-' || (n % 3), case when n % 20 = 0 then 'error' else 'success' end, ${Date.parse(at(0))} + n * 1000,
    case when n % 20 = 0 then 'timeout' else 'success' end, n % 100 + 1
  from ${series}`;

const query: CallCountQuery = {
  since: Date.parse(at(0)),
  until: Date.parse(at(100_000)),
  bucketMs: 50_000_000,
  busiest: 20,
};

const kinds = [
  {
    name: 'sqlite',
    series: `(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${calls}) select n from numbers)`,
    async open() {
      const workspace = createSqliteWorkspace();
      const engine = await openSqliteEngine(workspace.file);
      return { workspace, engine, sealer: createSealer(workspace.key) };
    },
  },
  {
    name: 'postgres',
    series: `generate_series(1, ${calls}) as numbers (n)`,
    async open() {
      const workspace = await createPostgresWorkspace(postgres);
      const engine = createPostgresEngine({ url: workspace.url });
      return { workspace, engine, sealer: createSealer(workspace.key) };
    },
  },
];

describe.each(kinds)('$name', ({ series, open }) => {
  test('statistics count every call, however many there are', async () => {
    const { workspace, engine, sealer } = await open();
    using _workspace = workspace;
    await using storage = await openSql(engine, { sealer });
    await engine.db.executeQuery(CompiledQuery.raw(insertCalls(series)));
    const period = { since: query.since, until: query.until, buckets: 2 };
    const stats = await createCallStats({ storage }).read(period);
    expect(stats.totals).toEqual({
      ...{ calls, success: 47_500, error: 2_500, denied: 0, invalid: 0, cancelled: 0, expired: 0, unknown: 0 },
      ...{ p50Ms: 50, p95Ms: 95 },
    });
    expect(stats.buckets.map(({ success, error }) => success + error)).toEqual([calls - 1, 1]);
    expect(stats.tools).toHaveLength(10);
    expect(stats.tools[0]).toMatchObject({ calls: 5_000, server: expect.stringMatching(/^server-\d$/) });
    expect(stats.servers.map((server) => server.calls)).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
    expect(stats.callers.reduce((sum, caller) => sum + caller.calls, 0)).toBe(calls);
    expect(stats.durations.reduce((sum, duration) => sum + duration.calls, 0)).toBe(calls);
    const part = await createCallStats({ storage }).read({ ...period, server: 'server-1', caller: 'caller-2' });
    expect(part.totals.calls).toBe(3_333);
  });

  test('calls are counted in an index that has all their counted columns', async () => {
    const { workspace, engine, sealer } = await open();
    using _workspace = workspace;
    await using _storage = await openSql(engine, { sealer });
    await engine.db.executeQuery(CompiledQuery.raw(insertCalls(series)));
    // Postgres does this automatically, but only once a minute.
    if (!engine.exclusive) await engine.db.executeQuery(CompiledQuery.raw('vacuum analyze calls'));
    const read: CompiledQuery[] = [];
    const readInThread = async (sql: string, parameters: readonly unknown[]) => {
      read.push(CompiledQuery.raw(sql, [...parameters]));
      return (await engine.db.executeQuery<object>(CompiledQuery.raw(sql, [...parameters]))).rows;
    };
    // A tenth of the calls: Postgres reads a whole table if it needs most of its rows.
    const tenth = { ...query, until: Date.parse(at(calls / 10)) };
    await countCalls({ db: engine.db, readInThread }, tenth);
    expect(read).toHaveLength(7);
    for (const { sql, parameters } of read) {
      const explain = `explain ${engine.exclusive ? 'query plan' : ''} ${sql}`;
      const { rows } = await engine.db.executeQuery<object>(CompiledQuery.raw(explain, [...parameters]));
      const plan = rows.flatMap((row) => Object.values(row)).join('\n');
      expect(plan).toMatch(/COVERING INDEX calls_by_counts|Index Only Scan using calls_by_counts/);
    }
  });
});
