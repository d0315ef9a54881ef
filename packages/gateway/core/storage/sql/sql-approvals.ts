import { parseExactly, toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { ApprovalRequest } from '../../../../toolwharf/policy/approval.ts';
import type { ApprovalRecord, ApprovalStore } from '../../../../toolwharf/policy/approval-store.ts';
import { approvalKey } from '../../../../toolwharf/policy/approval-store.ts';
import { pageSize, requestSummaryOf } from '../../../../toolwharf/storage/call-records.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { Database, Engine } from './engine.ts';
import type { ApprovalRow } from './tables.ts';

const answersAtOnce = 200;

/** Approvals in a database. Each change is one compare-and-set statement, so that one of several concurrent ones wins. */
export function createSqlApprovals({ db }: Engine): ApprovalStore {
  const find = (id: string) => db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();

  return {
    async add(request) {
      const whole = toJsonText(request);
      const row = {
        id: request.id,
        open_key: approvalKey(request),
        caller: toIndexText(request.caller.id),
        status: 'pending' as const,
        asked_at: Date.parse(request.askedAt),
        expires_at: Date.parse(request.expiresAt),
        request: whole,
        summary: requestSummaryOf(request, whole),
      };
      for (;;) {
        await freeKey(db, row.open_key, row.asked_at);
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('approvals')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 1n) return { request, status: 'pending' };
        const [found] = await db
          .selectFrom('approvals')
          .selectAll()
          .where(({ eb, or }) => or([eb('id', '=', row.id), eb('open_key', '=', row.open_key)]))
          .execute();
        // The conflicting approval may have been answered or used meanwhile.
        if (found) return toRecord(found);
      }
    },
    async get(id) {
      const row = await find(id);
      return row && toRecord(row);
    },
    async list({ status, caller, before, limit = 100 } = {}) {
      const last = before === undefined ? undefined : await find(before);
      if (before !== undefined && !last) return [];
      let query = db
        .selectFrom('approvals')
        .select(({ fn }) => [
          fn.coalesce('summary', 'request').as('request'),
          'summary',
          'status',
          'answer',
          'answered_at',
          'answered_by',
        ]);
      if (status !== undefined) query = query.where('status', '=', status);
      if (caller !== undefined) query = query.where('caller', '=', toIndexText(caller));
      if (last)
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('asked_at', 'id'), '<', tuple(last.asked_at, last.id)),
        );
      const rows = await query.orderBy('asked_at', 'desc').orderBy('id', 'desc').limit(pageSize(limit)).execute();
      return rows.map((row) => (row.summary === null ? toRecord(row) : { ...toRecord(row), isPreview: true }));
    },
    async countPending(now, caller) {
      let query = db
        .selectFrom('approvals')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('status', '=', 'pending')
        .where('expires_at', '>', now);
      if (caller !== undefined) query = query.where('caller', '=', toIndexText(caller));
      return Number((await query.executeTakeFirstOrThrow()).count);
    },
    async filterPending(ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('approvals')
        .select('id')
        .where('id', 'in', ids)
        .where('status', '=', 'pending')
        .execute();
      return rows.map(({ id }) => id);
    },
    async *answers(since) {
      let last = { asked_at: since, id: '' };
      for (;;) {
        const { asked_at, id } = last;
        const rows = await db
          .selectFrom('approvals')
          .select(['id', 'asked_at', 'request', 'status'])
          .where(({ eb, refTuple, tuple }) => eb(refTuple('asked_at', 'id'), '>', tuple(asked_at, id)))
          .where('status', 'in', ['allowed', 'used', 'denied'])
          .where('answered_by', 'not in', ['withdrawal', 'conversation'])
          .where('answered_by', 'not like', 'plugin:%')
          .orderBy('asked_at')
          .orderBy('id')
          .limit(answersAtOnce)
          .execute();
        for (const { request, status } of rows) {
          const { server, originalName, arguments: args } = parseExactly(request) as ApprovalRequest;
          yield { server, originalName, arguments: args, isAllowed: status !== 'denied' };
        }
        const end = rows.at(-1);
        if (!end || rows.length < answersAtOnce) return;
        last = end;
      }
    },
    async answer(id, answer, by, now) {
      const allowed = answer.kind === 'allow';
      const { numUpdatedRows } = await db
        .updateTable('approvals')
        .set({
          status: allowed ? 'allowed' : 'denied',
          answer: toJsonText(answer),
          answered_at: new Date(now).toISOString(),
          answered_by: by,
          // An allowed approval can be found by its call until it is used.
          ...(!allowed && { open_key: null }),
        })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return 'answered';
      const row = await find(id);
      if (!row) return 'missing';
      if (row.status === 'pending') await expire(db, now, id);
      return row.status === 'pending' || row.status === 'expired' ? 'expired' : 'already';
    },
    async use(id) {
      const { numUpdatedRows } = await db
        .updateTable('approvals')
        .set({ status: 'used', open_key: null })
        .where('id', '=', id)
        .where('status', '=', 'allowed')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    expire: (now) => expire(db, now),
  };
}

/** Expires approvals that are overdue: all of them, or one. */
async function expire(db: Database, now: number, id?: string): Promise<string[]> {
  let query = db
    .updateTable('approvals')
    .set({ status: 'expired', open_key: null, answered_at: new Date(now).toISOString(), answered_by: 'expiry' })
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now);
  if (id !== undefined) query = query.where('id', '=', id);
  return (await query.returning('id').execute()).map((row) => row.id);
}

/** Expires an overdue approval about the same call, so that a new one can be added. */
async function freeKey(db: Database, key: string, now: number): Promise<void> {
  const [held] = await db
    .selectFrom('approvals')
    .select('id')
    .where('open_key', '=', key)
    .where('expires_at', '<=', now)
    .execute();
  if (!held) return;
  await expire(db, now, held.id);
  await db
    .updateTable('approvals')
    .set({ open_key: null })
    .where('id', '=', held.id)
    .where('status', '=', 'allowed')
    .execute();
}

function toRecord(
  row: Pick<ApprovalRow, 'request' | 'status' | 'answer' | 'answered_at' | 'answered_by'>,
): ApprovalRecord {
  return {
    request: parseExactly(row.request) as ApprovalRequest,
    status: row.status,
    answer: row.answer === null ? undefined : (parseExactly(row.answer) as ApprovalRecord['answer']),
    answeredAt: row.answered_at ?? undefined,
    answeredBy: row.answered_by ?? undefined,
  };
}
