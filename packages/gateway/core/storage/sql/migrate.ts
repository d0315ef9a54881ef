import type { Kysely } from 'kysely';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { budgetsSchema } from './budgets-schema.ts';
import type { Engine, Migration } from './engine.ts';
import { firstSchema } from './first-schema.ts';
import { newToolsSchema } from './new-tools-schema.ts';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [firstSchema, budgetsSchema, newToolsSchema];

/** Migrates the tables to the newest version in one transaction. Of several concurrent processes one does it. */
export async function migrate(
  engine: Pick<Engine, 'db' | 'bigint' | 'lockForMigration'>,
  known: readonly Migration[] = migrations,
): Promise<void> {
  await engine.db.transaction().execute(async (trx) => {
    await engine.lockForMigration(trx);
    const db = trx as unknown as Kysely<{ migrations: { version: number; name: string; applied_at: string } }>;
    await db.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_at', 'text', (column) => column.notNull())
      .execute();
    const done = await db.selectFrom('migrations').select(['version', 'name']).execute();
    const applied = new Map(done.map(({ version, name }) => [version, name]));
    const found = Math.max(0, ...applied.keys());
    const newest = Math.max(0, ...known.map(({ version }) => version));
    if (applied.has(1) && applied.get(1) !== firstSchema.name) throw unreleased(found);
    if (found > newest) throw tooNew(found, newest);
    for (const { version, name, up } of known) {
      if (applied.has(version)) continue;
      await up(trx as unknown as Kysely<unknown>, { bigint: engine.bigint });
      await db.insertInto('migrations').values({ version, name, applied_at: new Date().toISOString() }).execute();
    }
  });
}

function tooNew(found: number, newest: number): ToolwharfError {
  return new ToolwharfError(
    'STORAGE_UNAVAILABLE',
    `The database was created by a newer Toolwharf: its tables have version ${found}, this one knows up to ${newest}. Update Toolwharf, or use another database`,
    { data: { found, newest } },
  );
}

function unreleased(found: number): ToolwharfError {
  return new ToolwharfError(
    'STORAGE_UNAVAILABLE',
    'The database was created by a Toolwharf from before the first release, and its tables cannot be converted. Move the data directory away, or use another database. To keep something, start the earlier commit on it first: `toolwharf audit export` writes the calls, and the API lists servers, profiles, scripts and assistants',
    { data: { found, isUnreleased: true } },
  );
}
