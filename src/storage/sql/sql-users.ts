import { ToolwharfError } from '../../kernel/errors.ts';
import { touchPrecisionMs } from '../ports/key-store.ts';
import { applyClaims, type User, type UserStore } from '../ports/user-store.ts';
import type { Engine } from './engine.ts';
import type { UserRow } from './tables.ts';

/** A sign-in that loses this often against concurrent changes of the same user is rejected. */
const maxAttempts = 20;

/** Users in a database. */
export function createSqlUsers({ db }: Engine): UserStore {
  async function find(issuer: string, subject: string): Promise<User | undefined> {
    const row = await db
      .selectFrom('users')
      .selectAll()
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    return row && toUser(row);
  }

  return {
    async list() {
      const rows = await db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute();
      return rows.map(toUser);
    },
    async get(id) {
      const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toUser(row);
    },
    find,
    async save(id, claims) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const before = await find(claims.issuer, claims.subject);
        const user = applyClaims(before, before ? before.id : id, claims);
        if (user === before) return user;
        const { id: _id, created_at: _created, last_seen_at: _seen, disabled_at: _disabled, ...changed } = toRow(user);
        if (!before) {
          const { numInsertedOrUpdatedRows } = await db
            .insertInto('users')
            .values(toRow(user))
            .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
            .executeTakeFirst();
          if (numInsertedOrUpdatedRows === 1n) return user;
          continue;
        }
        // Another replica may have saved or disabled the user meanwhile.
        const { numUpdatedRows } = await db
          .updateTable('users')
          .set(changed)
          .where('id', '=', before.id)
          .where('session_version', '=', before.sessionVersion)
          .where('claims_at', '=', Date.parse(before.claimsAt))
          .executeTakeFirst();
        if (numUpdatedRows > 0n) return user;
      }
      throw new ToolwharfError('CONFLICT', 'The user was changed at the same time: sign in again');
    },
    async touch(id, at) {
      const now = Date.parse(at);
      const user = await db.selectFrom('users').select('last_seen_at').where('id', '=', id).executeTakeFirst();
      if (!user || (user.last_seen_at !== null && now - user.last_seen_at < touchPrecisionMs)) return;
      await db.updateTable('users').set({ last_seen_at: now }).where('id', '=', id).execute();
    },
    async disable(id, at) {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set(({ eb }) => ({ disabled_at: Date.parse(at), session_version: eb('session_version', '+', 1) }))
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async enable(id) {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ disabled_at: null })
        .where('id', '=', id)
        .where('disabled_at', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('users').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toRow(user: User): UserRow {
  return {
    id: user.id,
    issuer: user.issuer,
    subject: user.subject,
    name: user.name ?? null,
    email: user.email ?? null,
    groups: JSON.stringify(user.groups),
    role: user.role,
    profile: user.profile ?? null,
    claims_at: Date.parse(user.claimsAt),
    session_version: user.sessionVersion,
    created_at: Date.parse(user.createdAt),
    last_seen_at: toTime(user.lastSeenAt),
    disabled_at: toTime(user.disabledAt),
  };
}

function toUser(row: UserRow): User {
  return {
    id: row.id,
    issuer: row.issuer,
    subject: row.subject,
    name: row.name ?? undefined,
    email: row.email ?? undefined,
    groups: JSON.parse(row.groups),
    role: row.role,
    profile: row.profile ?? undefined,
    claimsAt: new Date(row.claims_at).toISOString(),
    sessionVersion: row.session_version,
    createdAt: new Date(row.created_at).toISOString(),
    lastSeenAt: toText(row.last_seen_at),
    disabledAt: toText(row.disabled_at),
  };
}

function toTime(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

function toText(time: number | null): string | undefined {
  return time === null ? undefined : new Date(time).toISOString();
}
