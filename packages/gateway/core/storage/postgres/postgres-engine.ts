import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import { silentLog } from '../../../../toolwharf/kernel/log.ts';
import { summaryOf } from '../../../../toolwharf/storage/call-records.ts';
import type { PostgresStorageOptions, Storage } from '../../../../toolwharf/storage/storage.ts';
import { callColumns } from '../chain/call-columns.ts';
import type { AppendBatch, BatchOutcome, BatchStep, Database, Engine, WithLock } from '../sql/engine.ts';
import { openSql } from '../sql/open-sql.ts';
import type { Tables } from '../sql/tables.ts';
import { encodeBigints, encodeTexts } from './binary-arrays.ts';
import { databaseNow, type PostgresLease, takeLease } from './lease.ts';
import { createPostgresFleet } from './postgres-fleet.ts';
import { createPostgresPool } from './postgres-pool.ts';

export type PostgresEngineOptions = Pick<PostgresStorageOptions, 'url' | 'leaseMs' | 'queryTimeoutMs' | 'log'>;

/** Longer batches are written by several statements, so that no parameter becomes too large. */
const maxTextLength = 8_000_000;

/** A database that several processes can use. Connects with the first query. */
export function createPostgresEngine(options: PostgresEngineOptions): Engine {
  const { url, leaseMs = 30_000, queryTimeoutMs = 15_000, log = silentLog } = options;
  checkUrl(url);
  const pool = createPostgresPool(url, {
    queryTimeoutMs,
    prepared: [appendStatement],
    onError: (error) => log.warning('storage.connection-lost', messageOf(error)),
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    appendBatch: createAppendBatch(pool),
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

/** A lock that is held longer is free: its holder has failed. */
const maxLockMs = 60_000;
const lockPollMs = 50;

/** Locks in rows, because a connection pooler does not keep the session that an advisory lock belongs to. */
function createPostgresLocks(db: Database, owner: string): WithLock {
  async function take(name: string, holder: string): Promise<boolean> {
    const { rows } = await sql`
      insert into locks (name, holder, owner, expires_at) values (${name}, ${holder}, ${owner}, ${databaseNow} + ${maxLockMs})
      on conflict (name) do update set holder = excluded.holder, owner = excluded.owner, expires_at = excluded.expires_at
      where locks.expires_at < ${databaseNow}
        or not exists (select from owners where owners.id = locks.owner and owners.expires_at >= ${databaseNow})
      returning name`.execute(db);
    return rows.length > 0;
  }

  return async (name, work) => {
    const holder = randomUUID();
    while (!(await take(name, holder))) await sleep(lockPollMs);
    try {
      return await work();
    } finally {
      // A lock that cannot be released expires.
      await db
        .deleteFrom('locks')
        .where('name', '=', name)
        .where('holder', '=', holder)
        .execute()
        .catch(() => {});
    }
  };
}

/** The text is always the same, so that the database can keep it prepared. */
const appendStatement = `select toolwharf_append_steps(
  $1::text, $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[], $16::text[], $17::bigint[]) as outcomes`;

/** Appends to the journal with one statement, which is its own transaction. Kysely would add time to every call. */
function createAppendBatch(pool: PostgresPool): AppendBatch {
  async function append(owner: string, steps: readonly BatchStep[]): Promise<readonly BatchOutcome[]> {
    const calls = steps.map(({ record }) => (record ? callColumns(record) : undefined));
    const values = [
      owner,
      encodeBigints(steps.map(({ epoch }) => epoch ?? null)),
      encodeTexts(steps.map(({ callId }) => callId)),
      encodeTexts(steps.map(({ callId }) => JSON.stringify(callId))),
      encodeTexts(steps.map(({ at }) => at)),
      encodeTexts(steps.map(({ body }) => body)),
      encodeTexts(steps.map(({ record, body }) => (record && summaryOf(record, body)) ?? null)),
      encodeTexts(calls.map((call) => call?.id ?? null)),
      encodeTexts(calls.map((call) => call?.server ?? null)),
      encodeTexts(calls.map((call) => call?.tool ?? null)),
      encodeTexts(calls.map((call) => call?.original_name ?? null)),
      encodeTexts(calls.map((call) => call?.caller ?? null)),
      encodeTexts(calls.map((call) => call?.parent ?? null)),
      encodeTexts(calls.map((call) => call?.status ?? null)),
      encodeBigints(calls.map((call) => call?.created_at ?? null)),
      encodeTexts(calls.map((call) => call?.outcome ?? null)),
      encodeBigints(calls.map((call) => call?.duration_ms ?? null)),
    ];
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ outcomes: BatchOutcome[] }>(appendStatement, values);
      return rows[0]?.outcomes ?? [];
    } finally {
      client.release();
    }
  }

  return async (owner, steps) => {
    const outcomes: BatchOutcome[] = [];
    for (let start = 0; start < steps.length; ) {
      let end = start;
      for (let length = 0; end < steps.length && (end === start || length < maxTextLength); end++)
        length += steps[end]?.body.length ?? 0;
      outcomes.push(...(await append(owner, steps.slice(start, end))));
      start = end;
    }
    return outcomes;
  };
}
