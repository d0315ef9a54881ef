import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';

const int8 = 20;

// A stalled process must not keep the journal's row locked, and commits must be on disk even if the database is configured
// otherwise. Set by a statement, since connection poolers refuse startup options.
const sessionSettings = `select set_config('idle_in_transaction_session_timeout', '10000', false),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;

export interface PostgresPoolOptions {
  readonly queryTimeoutMs: number;
  readonly onError: (error: Error) => void;
  /** Statements that are so frequent that each connection keeps them prepared. */
  readonly prepared: readonly string[];
}

/** A pool for kysely that discards a connection after a failure, so that the next query gets a working one. */
export function createPostgresPool(
  url: string,
  { queryTimeoutMs, onError, prepared }: PostgresPoolOptions,
): PostgresPool {
  const names = new Map(prepared.map((statement) => [statement, `toolwharf_${hashOf(statement).slice(0, 16)}`]));
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
      const opened = discardWhenBroken(client, names);
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

function discardWhenBroken(client: pg.PoolClient, names: Map<string, string>): PostgresPoolClient {
  let broken = false;
  client.on('error', () => {
    broken = true;
  });

  async function send(text: string, values: unknown[]): Promise<unknown> {
    const name = names.get(text);
    if (name === undefined) return client.query(text, values);
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      if (!notPrepared.has(codeOf(error))) throw error;
      // The statement was not executed: a pooler has sent it to another connection than the one that prepared it.
      names.clear();
      return client.query(text, values);
    }
  }

  const query = async (sql: string, parameters: readonly unknown[]) => {
    const values = [...parameters];
    try {
      return await send(sql, values);
    } catch (error) {
      // The database's own errors have a code of five characters; any other error means that the connection failed.
      broken ||= !/^[0-9A-Z]{5}$/.test(codeOf(error));
      throw error;
    } finally {
      // `pg` refers to them from functions that V8 creates in the old generation: they would stay until a full collection.
      values.length = 0;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy = false) => client.release(destroy || broken),
  };
}

/** There is no prepared statement of the name, or already another one. */
const notPrepared = new Set(['26000', '42P05']);

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}
