import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresEngine } from '../../src/storage/postgres/postgres-engine.ts';
import type { Engine } from '../../src/storage/sql/engine.ts';
import { migrate, migrations } from '../../src/storage/sql/migrate.ts';
import type { Migration } from '../../src/storage/sql/migrations/migration.ts';
import { openSqliteEngine } from '../../src/storage/sqlite/sqlite-engine.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type Place, postgresPlace, sqlitePlace } from './kinds.ts';
import { gather, makeCall } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const newest = migrations.length;
const kinds: { name: string; place: () => Promise<{ place: Place; engine: () => Promise<Engine> }> }[] = [
  {
    name: 'sqlite',
    place: async () => {
      const place = sqlitePlace();
      mkdirSync(dirname(place.file));
      return { place, engine: () => openSqliteEngine(place.file) };
    },
  },
  {
    name: 'postgres',
    place: async () => {
      const place = await postgresPlace(postgres);
      return { place, engine: async () => createPostgresEngine({ url: place.url }) };
    },
  },
];

test('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
});

for (const kind of kinds) {
  describe(`the tables in ${kind.name}`, () => {
    test('tables are created once, and each version is recorded', async () => {
      const { place, engine } = await kind.place();
      using _place = place;
      await (await place.open()).close();
      await (await place.open()).close();
      const recorded = await place.sql('select version, name from migrations order by version');
      expect(recorded).toEqual(migrations.map(({ version, name }) => ({ version, name })));
      const again = await engine();
      await migrate(again);
      await again.close();
      expect(await place.sql('select version, name from migrations order by version')).toEqual(recorded);
    });

    test('tables of version 1 are migrated with their data', async () => {
      const { place } = await kind.place();
      using _place = place;
      for (const statement of readFileSync(new URL('./version-1.sql', import.meta.url), 'utf8')
        .trim()
        .split(/;\n/)) {
        await place.sql(statement);
      }
      await using storage = await place.open();
      expect(await storage.meta.get('greeting')).toBe('hello');
      const [open, done] = await storage.journal.list();
      expect(done).toMatchObject({ status: 'success', result: { content: [{ text: 'It’s here' }] } });
      expect(open).toMatchObject({ status: 'error', end: 'unknown-outcome', originalName: 'write' });
      const child = makeCall({ parent: { kind: 'call', id: String(done?.id) } });
      await storage.journal.write(child);
      expect(await storage.journal.list({ parent: String(done?.id) })).toEqual([child]);
      expect(await gather(storage.audit.verify())).toEqual([]);
      expect(await storage.approvals.list()).toEqual([]);
      expect(await place.sql('select max(version) as version from migrations')).toEqual([{ version: newest }]);
    });

    test('assistants of version 2 are migrated and get the new defaults', async () => {
      const { place, engine } = await kind.place();
      using _place = place;
      const old = await engine();
      await migrate(old, migrations.slice(0, 2));
      await old.close();
      const id = 'f3b2a7de-5f0e-4d0c-9f0a-0c9a4f8c2b11';
      const body = `{"id":"${id}","name":"Old","serverIds":["files"],"settings":{},"toolApproval":"auto","trustedTools":[]}`;
      await place.sql(`insert into assistants values ('${id}', 'Old', '${body}')`);
      await using storage = await place.open();
      const assistant = await storage.assistants.get(id);
      expect(assistant).toMatchObject({ name: 'Old', serverIds: ['files'], toolApproval: 'auto', maxSteps: 20 });
      expect(assistant).not.toHaveProperty('settings');
      expect(await storage.assistants.list()).toEqual([assistant]);
      expect(await storage.conversations.list()).toEqual([]);
      expect(await storage.providers.list()).toEqual([]);
    });

    test('tables of a newer Toolwharf are refused and not changed', async () => {
      const { place } = await kind.place();
      using _place = place;
      await (await place.open()).close();
      await place.sql(`insert into migrations values (${newest + 1}, 'future', 'then')`);
      const refused = { code: 'STORAGE_UNAVAILABLE', data: { found: newest + 1, newest } };
      await expect(place.open()).rejects.toMatchObject(refused);
      await expect(place.open()).rejects.toThrow(/made by a newer Toolwharf.*Update Toolwharf/);
    });

    test('a failed migration changes nothing and is repeated at the next start', async () => {
      const { place, engine } = await kind.place();
      using _place = place;
      await (await place.open()).close();
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
      expect(await place.sql('select max(version) as version from migrations')).toEqual([{ version: newest }]);
      await expect(place.sql('select * from extra')).rejects.toThrow();
      broken = false;
      await migrate(own, [...migrations, next]);
      expect(await place.sql('select * from extra')).toEqual([]);
      await own.close();
      await expect(place.open()).rejects.toThrow(/newer/);
    });
  });
}

test('several processes that start at once on an empty Postgres create the tables once', async () => {
  using place = await postgresPlace(postgres);
  const storages = await Promise.all(Array.from({ length: 5 }, () => place.open()));
  expect(await place.sql('select version from migrations order by version')).toHaveLength(newest);
  await Promise.all(storages.map((storage, index) => storage.meta.set(`from ${index}`, 'x')));
  await Promise.all(storages.map((storage) => storage.close()));
});
