import { openMemory } from './memory/open-memory.ts';
import type { Storage, StorageOptions } from './storage.ts';

/** Opens storage in memory, in an SQLite file of this process, or in a shared Postgres database. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  // Loaded on demand: most processes use one driver.
  switch (options.kind) {
    case 'memory':
      return openMemory(options);
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
