import { Kysely, PostgresDialect, sql } from 'kysely';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Engine } from '../sql/engine.ts';
import { openSql } from '../sql/open-sql.ts';
import type { Tables } from '../sql/tables.ts';
import type { PostgresStorageOptions, Storage } from '../storage.ts';
import { appendRows } from './append-rows.ts';
import { type PostgresLease, takeLease } from './lease.ts';
import { createPostgresFleet } from './postgres-fleet.ts';
import { createPostgresLocks } from './postgres-locks.ts';
import { createPostgresPool } from './postgres-pool.ts';

export type PostgresEngineOptions = Pick<PostgresStorageOptions, 'url' | 'leaseMs' | 'queryTimeoutMs' | 'log'>;

/** A database that several processes can use. Connects with the first query. */
export function createPostgresEngine(options: PostgresEngineOptions): Engine {
  const { url, leaseMs = 30_000, queryTimeoutMs = 15_000, log = silentLog } = options;
  checkUrl(url);
  const pool = createPostgresPool(url, {
    queryTimeoutMs,
    onError: (error) => log.warning('storage.connection-lost', messageOf(error)),
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    appendRows,
    bigint: 'bigint',
    exclusive: false,
    lockForMigration: async (trx) => void (await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)),
    isUniqueViolation: (error) => (error as { code?: unknown }).code === uniqueViolation,
    own: () => takeLease(db, leaseMs),
    createLocks: ({ id }) => createPostgresLocks(db, id),
    createFleet: (ownership, sealer) =>
      createPostgresFleet({ db, url, ownership: ownership as PostgresLease, sealer, log }),
    close: () => db.destroy(),
  };
}

// An arbitrary number, the same for all processes.
const migrationLock = 7_420_001;
const uniqueViolation = '23505';

/** The URL can contain a password, so the error does not repeat it. */
function checkUrl(url: string): void {
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return;
  throw new ToolwharfError(
    'CONFIG_INVALID',
    'The address of the database must have the form postgres://user@host:port/name',
  );
}

/** Storage in a Postgres database that several processes use at the same time. */
export async function openPostgres(options: Omit<PostgresStorageOptions, 'kind'>): Promise<Storage> {
  return openSql(createPostgresEngine(options), options);
}
