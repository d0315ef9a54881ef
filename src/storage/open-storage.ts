import { openMemory } from './memory/open-memory.ts';
import type { Storage, StorageOptions } from './storage.ts';

/** Opens what is kept: in memory, in an SQLite file that this process owns, or in a Postgres that several share. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  // Drivers are loaded by those who use them.
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
