import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresEngine } from '../../packages/gateway/core/storage/postgres/postgres-engine.ts';
import type { Engine, Migration } from '../../packages/gateway/core/storage/sql/engine.ts';
import { migrate, migrations } from '../../packages/gateway/core/storage/sql/migrate.ts';
import { openSqliteEngine } from '../../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createPostgresWorkspace, createSqliteWorkspace, type Workspace } from './kinds.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const newest = Math.max(...migrations.map(({ version }) => version));
const kinds: {
  name: string;
  createWorkspace: () => Promise<{ workspace: Workspace; engine: () => Promise<Engine> }>;
}[] = [
  {
    name: 'sqlite',
    createWorkspace: async () => {
      const workspace = createSqliteWorkspace();
      mkdirSync(dirname(workspace.file));
      return { workspace, engine: () => openSqliteEngine(workspace.file) };
    },
  },
  {
    name: 'postgres',
    createWorkspace: async () => {
      const workspace = await createPostgresWorkspace(postgres);
      return { workspace, engine: async () => createPostgresEngine({ url: workspace.url }) };
    },
  },
];

test('each migration has a higher number than the one before', () => {
  const versions = migrations.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
});

for (const kind of kinds) {
  describe(`the tables in ${kind.name}`, () => {
    test('the tables are created once, and each version is recorded', async () => {
      const { workspace, engine } = await kind.createWorkspace();
      using _workspace = workspace;
      await (await workspace.open()).close();
      await (await workspace.open()).close();
      const recorded = await workspace.sql('select version, name from migrations order by version');
      expect(recorded).toEqual(migrations.map(({ version, name }) => ({ version, name })));
      const again = await engine();
      await migrate(again);
      await again.close();
      expect(await workspace.sql('select version, name from migrations order by version')).toEqual(recorded);
    });

    test('the tables of commits before the first release are refused, and not changed', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      const statements = [
        'create table migrations (version integer primary key, name text not null, applied_at text not null)',
        "insert into migrations values (1, 'journal', 'then'), (27, 'untracked-calls', 'then')",
        'create table servers (id text primary key, name text not null unique, sealed text not null)',
        "insert into servers values ('1', 'files', 'x')",
      ];
      for (const statement of statements) await workspace.sql(statement);
      const refused = { code: 'STORAGE_UNAVAILABLE', data: { found: 27, isUnreleased: true } };
      await expect(workspace.open()).rejects.toMatchObject(refused);
      await expect(workspace.open()).rejects.toThrow(
        /from before the first release.*Move the data directory away.*toolwharf audit export/,
      );
      expect(await workspace.sql('select name from servers')).toEqual([{ name: 'files' }]);
      await expect(workspace.sql('select * from records')).rejects.toThrow();
    });

    test('the tables of a newer Toolwharf are rejected and not changed', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      await (await workspace.open()).close();
      await workspace.sql(`insert into migrations values (${newest + 1}, 'future', 'then')`);
      const refused = { code: 'STORAGE_UNAVAILABLE', data: { found: newest + 1, newest } };
      await expect(workspace.open()).rejects.toMatchObject(refused);
      await expect(workspace.open()).rejects.toThrow(/created by a newer Toolwharf.*Update Toolwharf/);
    });

    test('the tables are unchanged after a failed migration, which is repeated at the next start', async () => {
      const { workspace, engine } = await kind.createWorkspace();
      using _workspace = workspace;
      await (await workspace.open()).close();
      let broken = true;
      const next: Migration = {
        version: newest + 1,
        name: 'next',
        async up(db) {
          await db.schema.createTable('extra').addColumn('id', 'integer').execute();
          if (broken) throw new Error('power cut');
        },
      };
      const own = await engine();
      await expect(migrate(own, [...migrations, next])).rejects.toThrow('power cut');
      expect(await workspace.sql('select max(version) as version from migrations')).toEqual([{ version: newest }]);
      await expect(workspace.sql('select * from extra')).rejects.toThrow();
      broken = false;
      await migrate(own, [...migrations, next]);
      expect(await workspace.sql('select * from extra')).toEqual([]);
      await own.close();
      await expect(workspace.open()).rejects.toThrow(/newer/);
    });
  });
}

test('several processes that start at the same time on an empty Postgres create the tables once', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  const storages = await Promise.all(Array.from({ length: 5 }, () => workspace.open()));
  expect(await workspace.sql('select version from migrations order by version')).toHaveLength(migrations.length);
  await Promise.all(storages.map((storage, index) => storage.meta.set(`from ${index}`, 'x')));
  await Promise.all(storages.map((storage) => storage.close()));
});
