import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresEngine } from '../../src/storage/postgres/postgres-engine.ts';
import type { Engine } from '../../src/storage/sql/engine.ts';
import { migrate, migrations } from '../../src/storage/sql/migrate.ts';
import type { Migration } from '../../src/storage/sql/migrations/migration.ts';
import { openSqliteEngine } from '../../src/storage/sqlite/sqlite-engine.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { createPostgresWorkspace, createSqliteWorkspace, type Workspace } from './kinds.ts';
import { gather, makeCall, makeConversation, makeMessage } from './records.ts';

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

    test('the tables of version 1 are migrated with their data', async () => {
      const { workspace } = await kind.createWorkspace();
      using _workspace = workspace;
      for (const statement of readFileSync(new URL('./version-1.sql', import.meta.url), 'utf8')
        .trim()
        .split(/;\n/)) {
        await workspace.sql(statement);
      }
      await using storage = await workspace.open();
      expect(await storage.meta.get('greeting')).toBe('hello');
      const [open, done] = await storage.journal.list();
      expect(done).toMatchObject({ status: 'success', result: { content: [{ text: 'It’s here' }] } });
      expect(open).toMatchObject({ status: 'error', end: 'unknown-outcome', originalName: 'write' });
      const child = makeCall({ parent: { kind: 'call', id: String(done?.id) } });
      await storage.journal.write(child);
      expect(await storage.journal.list({ parent: String(done?.id) })).toEqual([child]);
      expect(await gather(storage.audit.verify())).toEqual([]);
      expect(await storage.approvals.list()).toEqual([]);
      expect(await workspace.sql('select max(version) as version from migrations')).toEqual([{ version: newest }]);
    });

    test('the tables of version 2 are migrated, and assistants get the new defaults', async () => {
      const { workspace, engine } = await kind.createWorkspace();
      using _workspace = workspace;
      const old = await engine();
      await migrate(old, migrations.slice(0, 2));
      await old.close();
      const id = 'f3b2a7de-5f0e-4d0c-9f0a-0c9a4f8c2b11';
      const body = `{"id":"${id}","name":"Old","serverIds":["files"],"settings":{},"toolApproval":"auto","trustedTools":[]}`;
      await workspace.sql(`insert into assistants values ('${id}', 'Old', '${body}')`);
      await using storage = await workspace.open();
      const assistant = await storage.assistants.get(id);
      expect(assistant).toMatchObject({ name: 'Old', serverIds: ['files'], toolApproval: 'auto', maxSteps: 20 });
      expect(assistant).not.toHaveProperty('settings');
      expect(await storage.assistants.list()).toEqual([assistant]);
      expect(await storage.conversations.list()).toEqual([]);
      expect(await storage.providers.list()).toEqual([]);
    });

    test('the tables of version 9 are migrated, and conversations become one branch that can be searched', async () => {
      const { workspace, engine } = await kind.createWorkspace();
      using _workspace = workspace;
      const old = await engine();
      await migrate(old, migrations.slice(0, 9));
      await old.close();
      const conversation = makeConversation();
      const messages = ['Grüße', 'Hello', 'Again'].map((text) => makeMessage(text));
      const values = (...items: unknown[]) => items.map((item) => `'${item}'`).join(', ');
      await workspace.sql(
        `insert into conversations values (${values(conversation.id, 'ann', 'gone', 'idle', 0, JSON.stringify(conversation))})`,
      );
      for (const [index, message] of messages.entries())
        await workspace.sql(
          `insert into messages values (${values(conversation.id, index + 1, message.id, JSON.stringify(message))})`,
        );
      await using storage = await workspace.open();
      const [first, second, third] = messages;
      expect(await storage.conversations.messages(conversation.id)).toEqual([
        first,
        { ...second, parentId: first?.id },
        { ...third, parentId: second?.id },
      ]);
      const found = await storage.conversations.search({ owners: ['ann'], words: ['grusse'], limit: 1 });
      expect(found.map((match) => match.messages)).toEqual([[first]]);
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
