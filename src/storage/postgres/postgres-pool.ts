import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

const int8 = 20;

// A stalled process must not keep the journal's row locked, and commits must be on disk even if the database is configured
// otherwise. Set by a statement, since connection poolers refuse startup options.
const sessionSettings = `select set_config('idle_in_transaction_session_timeout', '10000', false),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;

/** A pool for kysely that discards a connection after a failure, so that the next query gets a working one. */
export function createPostgresPool(
  url: string,
  { queryTimeoutMs, onError }: { readonly queryTimeoutMs: number; readonly onError: (error: Error) => void },
): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'toolwharf',
    max: 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A missing answer must not block calls for ever.
    query_timeout: queryTimeoutMs,
    types: {
      // Our bigints are below 2^53.
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', onError);
  // The pool listens only to idle connections; an unhandled error of one in use would end the process. It can arrive together
  // with the last message of the connection's start.
  pool.on('connect', (client) => client.on('error', () => {}));
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const known = wrapped.get(client);
      if (known) return known;
      const opened = discardWhenBroken(client);
      try {
        await client.query(sessionSettings);
      } catch (cause) {
        // An unreleased connection would count against the pool for ever.
        opened.release(true);
        throw cause;
      }
      wrapped.set(client, opened);
      return opened;
    },
  };
}

function discardWhenBroken(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  client.on('error', () => {
    broken = true;
  });
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      // The database's own errors have a code of five characters; any other error means that the connection failed.
      broken ||= !/^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
      throw error;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy = false) => client.release(destroy || broken),
  };
}
