import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, WithLock } from '../sql/engine.ts';
import { databaseNow } from './lease.ts';

/** A holder that takes longer has failed: its lock is given to the next. */
const maxHoldMs = 60_000;
const pollMs = 50;

/** Locks in rows, because a connection pooler does not keep the session that an advisory lock belongs to. */
export function createPostgresLocks(db: Database, owner: string): WithLock {
  async function take(name: string, holder: string): Promise<boolean> {
    const { rows } = await sql`
      insert into locks (name, holder, owner, expires_at) values (${name}, ${holder}, ${owner}, ${databaseNow} + ${maxHoldMs})
      on conflict (name) do update set holder = excluded.holder, owner = excluded.owner, expires_at = excluded.expires_at
      where locks.expires_at < ${databaseNow}
        or not exists (select from owners where owners.id = locks.owner and owners.expires_at >= ${databaseNow})
      returning name`.execute(db);
    return rows.length > 0;
  }

  return async (name, work) => {
    const holder = randomUUID();
    while (!(await take(name, holder))) await sleep(pollMs);
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
