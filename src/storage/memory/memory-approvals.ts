import type { ApprovalRecord, ApprovalStatus, ApprovalStore } from '../../policy/approval-store.ts';
import { approvalKey } from '../../policy/approval-store.ts';
import { pageSize, toListedApproval } from '../call-records.ts';

export interface MemoryApprovals extends ApprovalStore {
  /** Removes answered approvals that were asked before a time. */
  forget(before: number): void;
}

/** Approvals in memory. */
export function createMemoryApprovals(): MemoryApprovals {
  const records = new Map<string, ApprovalRecord>();

  function end(record: ApprovalRecord, now: number): void {
    const ended = { status: 'expired', answeredAt: new Date(now).toISOString(), answeredBy: 'expiry' } as const;
    records.set(record.request.id, { ...record, ...ended });
  }

  return {
    async add(request) {
      const now = Date.parse(request.askedAt);
      const key = approvalKey(request);
      const same = [...records.values()].filter((other) => isOpen(other.status) && approvalKey(other.request) === key);
      for (const record of same) if (record.status === 'pending' && isOver(record, now)) end(record, now);
      const record = records.get(request.id) ?? same.find((other) => !isOver(other, now));
      if (record) return record;
      const added: ApprovalRecord = { request, status: 'pending' };
      records.set(request.id, added);
      return added;
    },
    async get(id) {
      return records.get(id);
    },
    async list({ status, caller, limit = 100 } = {}) {
      return [...records.values()]
        .filter((record) => status === undefined || record.status === status)
        .filter((record) => caller === undefined || record.request.caller.id === caller)
        .sort(newestFirst)
        .slice(0, pageSize(limit))
        .map(toListedApproval);
    },
    async countPending(now, caller) {
      const isCounted = (record: ApprovalRecord) =>
        record.status === 'pending' &&
        !isOver(record, now) &&
        (caller === undefined || record.request.caller.id === caller);
      return [...records.values()].filter(isCounted).length;
    },
    async filterPending(ids) {
      return ids.filter((id) => records.get(id)?.status === 'pending');
    },
    async answer(id, answer, by, now) {
      const record = records.get(id);
      if (!record) return 'missing';
      if (record.status === 'pending' && isOver(record, now)) end(record, now);
      const status = records.get(id)?.status;
      if (status !== 'pending') return status === 'expired' ? 'expired' : 'already';
      const answered = { answer, answeredAt: new Date(now).toISOString(), answeredBy: by };
      records.set(id, { ...record, ...answered, status: answer.kind === 'allow' ? 'allowed' : 'denied' });
      return 'answered';
    },
    async use(id) {
      const record = records.get(id);
      if (record?.status !== 'allowed') return false;
      records.set(id, { ...record, status: 'used' });
      return true;
    },
    async expire(now) {
      const over = [...records.values()].filter((record) => record.status === 'pending' && isOver(record, now));
      for (const record of over) end(record, now);
      return over.map(({ request }) => request.id);
    },
    forget(before) {
      for (const [id, { request, status }] of records) {
        if (!isOpen(status) && Date.parse(request.askedAt) < before) records.delete(id);
      }
    },
  };
}

function isOpen(status: ApprovalStatus): boolean {
  return status === 'pending' || status === 'allowed';
}

function isOver({ request }: ApprovalRecord, now: number): boolean {
  return Date.parse(request.expiresAt) <= now;
}

function newestFirst(one: ApprovalRecord, other: ApprovalRecord): number {
  const later = Date.parse(other.request.askedAt) - Date.parse(one.request.askedAt);
  return later || (other.request.id < one.request.id ? -1 : 1);
}
