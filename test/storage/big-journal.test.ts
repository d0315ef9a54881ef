import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresEngine } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import type { Engine } from '../../packages/gateway/core/storage/sql/engine.ts';
import { listCalls } from '../../packages/gateway/core/storage/sql/list-calls.ts';
import { openSql } from '../../packages/gateway/core/storage/sql/open-sql.ts';
import type { Tables } from '../../packages/gateway/core/storage/sql/tables.ts';
import { openSqliteEngine } from '../../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import type { CallFilter } from '../../packages/toolwharf/invocation/journal.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createPostgresWorkspace, createSqliteWorkspace } from './kinds.ts';
import { at, makeCall } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const sqliteCalls = 2_000;
const postgresCalls = 20_000;

test('SQLite reads a page of calls by an index without sorting, for every filter [R4]', async () => {
  using workspace = createSqliteWorkspace();
  const engine = await openSqliteEngine(workspace.file);
  await using storage = await openSql(engine, { sealer: createSealer(workspace.key) });
  const ids = await fill(storage, sqliteCalls);
  for (const [name, filter] of filters(ids)) {
    for (const { sql, parameters } of await queriesOf(engine, filter)) {
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const plan = (await engine.db.executeQuery<{ detail: string }>(explain)).rows.map(({ detail }) => detail);
      const tables = plan.filter((step) => /\b(calls|steps)\b/.test(step));
      expect(tables, name).not.toEqual([]);
      for (const step of tables) expect(step, name).toMatch(/USING (COVERING INDEX|INDEX|INTEGER PRIMARY KEY)/);
      expect(plan.join('\n'), name).not.toContain('TEMP B-TREE');
    }
  }
});

test('Postgres reads a page of calls from few blocks, for every filter [R4]', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  const engine = createPostgresEngine({ url: workspace.url });
  await using storage = await openSql(engine, { sealer: createSealer(workspace.key) });
  const ids = await fill(storage, postgresCalls);
  // Postgres does this automatically, but only once a minute.
  await workspace.sql('analyze');
  const [size] = await workspace.sql("select pg_relation_size('steps') / 8192 as blocks");
  expect(Number(size?.blocks)).toBeGreaterThan(1_000);
  for (const [name, filter] of filters(ids)) {
    for (const { sql, parameters } of await queriesOf(engine, filter)) {
      const explain = CompiledQuery.raw(`explain (analyze, buffers, format json) ${sql}`, [...parameters]);
      const [row] = (await engine.db.executeQuery<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(explain)).rows;
      const plan = row?.['QUERY PLAN'][0].Plan ?? {};
      // The page has 20 calls. Each call is a row of two tables, found through an index of a few levels.
      const blocks = Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
      expect(blocks, name).toBeLessThan(300);
    }
  }
});

function filters(ids: readonly string[]): [string, CallFilter][] {
  const middle = ids[ids.length / 2] ?? '';
  return [
    ['the newest', {}],
    ['by server', { server: 'server-3' }],
    ['by tool', { tool: 'tool-2' }],
    ['by status', { status: 'error' }],
    ['by server and status', { server: 'server-2', status: 'success' }],
    ['by caller', { caller: 'caller-1' }],
    ['by time', { until: at(ids.length / 2) }],
    ['a page in the middle', { before: middle }],
    ['a page of a server in the middle', { before: middle, server: 'server-3' }],
  ];
}

/** The queries that read a page of 20 calls. */
async function queriesOf({ db }: Engine, filter: CallFilter): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push((db as Kysely<Tables>).getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  expect(await listCalls((db as Kysely<Tables>).withPlugin(recorder), { ...filter, limit: 20 })).toHaveLength(20);
  return queries;
}

async function fill(storage: Storage, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const calls = Array.from({ length: 1_000 }, (_, index) =>
      makeCall({
        server: `server-${index % 10}`,
        tool: `tool-${index % 7}`,
        originalName: `own-${index % 7}`,
        status: index % 10 === 3 ? 'error' : 'success',
        caller: { id: `caller-${index % 5}`, kind: 'client' },
        createdAt: at(ids.length + index),
      }),
    );
    await Promise.all(calls.map((call) => storage.journal.write(call)));
    ids.push(...calls.map(({ id }) => id));
  }
  // A read waits until all steps are in the tables.
  await storage.journal.list({ limit: 1 });
  return ids;
}
