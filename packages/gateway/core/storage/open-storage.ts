import type { Storage, StorageOptions } from '../../../toolwharf/storage/storage.ts';

/** Opens storage in memory, in an SQLite file of this process, or in a shared Postgres database. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  // Loaded on demand: most processes use one driver.
  switch (options.kind) {
    case 'memory': {
      const { openSqliteInMemory } = await import('./sqlite/sqlite-engine.ts');
      return openSqliteInMemory(options);
    }
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/sqlite-engine.ts');
      return openSqlite(options);
    }
    case 'postgres': {
      const { openPostgres } = await import('./postgres/postgres-engine.ts');
      return openPostgres(options);
    }
  }
}
