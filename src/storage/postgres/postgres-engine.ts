import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Engine } from '../sql/engine.ts';
import { openSql } from '../sql/open-sql.ts';
import type { Tables } from '../sql/tables.ts';
import type { PostgresStorageOptions, Storage } from '../storage.ts';
import { takeLease } from './lease.ts';
import { createPostgresFleet } from './postgres-fleet.ts';
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
  const dialect = new PostgresDialect({
    pool,
    onCreateConnection: async (connection) => void (await connection.executeQuery(CompiledQuery.raw(sessionSettings))),
  });
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    bigint: 'bigint',
    exclusive: false,
    lockForMigration: async (trx) => void (await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)),
    isUniqueViolation: (error) => (error as { code?: unknown }).code === uniqueViolation,
    own: () => takeLease(db, leaseMs),
    createFleet: ({ id }, sealer) => createPostgresFleet({ db, url, replica: id, sealer, log }),
    close: () => db.destroy(),
  };
}

// A stalled process must not keep the journal's row locked, and commits must be on disk even if the database is configured
// otherwise. Set per transaction, since connection poolers refuse startup options.
const sessionSettings = `select set_config('idle_in_transaction_session_timeout', '10000', false),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;

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
