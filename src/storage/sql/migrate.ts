import type { Kysely } from 'kysely';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Engine } from './engine.ts';
import { journalTables } from './migrations/001-journal.ts';
import { storeTables } from './migrations/002-stores.ts';
import { chatTables } from './migrations/003-chat.ts';
import { fewerIndexes } from './migrations/004-fewer-indexes.ts';
import { callParents } from './migrations/005-parents.ts';
import { summaries } from './migrations/006-summaries.ts';
import { pinHashes } from './migrations/007-pin-hashes.ts';
import { savedRequests } from './migrations/008-saved-requests.ts';
import { fleetTables } from './migrations/009-fleet.ts';
import { branches } from './migrations/010-branches.ts';
import { profileTables } from './migrations/011-profiles.ts';
import { limitTables } from './migrations/012-limits.ts';
import { lockTables } from './migrations/013-locks.ts';
import { placementTables } from './migrations/014-placements.ts';
import { appendFunction } from './migrations/015-append-steps.ts';
import { claimOwners } from './migrations/016-claim-owners.ts';
import { endedCalls } from './migrations/017-ended-calls.ts';
import { userTables } from './migrations/018-users.ts';
import { accountTables } from './migrations/019-accounts.ts';
import { scriptTable } from './migrations/020-scripts.ts';
import { vectorTable } from './migrations/021-vectors.ts';
import { listenersTopic } from './migrations/022-listeners.ts';
import { fewerStatements } from './migrations/023-fewer-statements.ts';
import type { Migration } from './migrations/migration.ts';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [
  journalTables,
  storeTables,
  chatTables,
  fewerIndexes,
  callParents,
  summaries,
  pinHashes,
  savedRequests,
  fleetTables,
  branches,
  profileTables,
  limitTables,
  lockTables,
  placementTables,
  appendFunction,
  claimOwners,
  endedCalls,
  userTables,
  accountTables,
  scriptTable,
  vectorTable,
  listenersTopic,
  fewerStatements,
];

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
    const done = await db.selectFrom('migrations').select('version').execute();
    const applied = new Set(done.map(({ version }) => version));
    const found = Math.max(0, ...applied);
    const newest = Math.max(0, ...known.map(({ version }) => version));
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
