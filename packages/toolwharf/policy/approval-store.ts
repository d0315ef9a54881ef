import type { ApprovalStatus } from '../../contract/approvals.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { ApprovalAnswer, ApprovalRequest } from './approval.ts';

/** An approval and its outcome. */
export interface ApprovalRecord {
  readonly request: ApprovalRequest;
  readonly status: ApprovalStatus;
  readonly answer?: ApprovalAnswer;
  readonly answeredAt?: string;
  /** The source of the answer: a person's name, a key, `expiry`. */
  readonly answeredBy?: string;
  /** True in a list if the request is large and its arguments are shortened. */
  readonly isPreview?: boolean;
}

/** A call that a person allowed or denied. */
export interface AnsweredCall extends Pick<ApprovalRequest, 'server' | 'originalName' | 'arguments'> {
  readonly isAllowed: boolean;
}

export interface ApprovalFilter {
  readonly status?: ApprovalStatus;
  readonly caller?: string;
  /** Only approvals older than the one with this id; the cursor for the next page. */
  readonly before?: string;
  /** Newest first; 100. */
  readonly limit?: number;
}

/** The store of approvals. A change is durable when its promise resolves. */
export interface ApprovalStore {
  /** Adds an approval, or returns the one about the same call that is pending or allowed and unused. */
  add(request: ApprovalRequest): Promise<ApprovalRecord>;
  get(id: string): Promise<ApprovalRecord | undefined>;
  /** Large records are previews; `get` returns the whole. */
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  /** The number of approvals that wait for an answer at a time, of all callers or of one. */
  countPending(now: number, caller?: string): Promise<number>;
  /** The ids, among the given ones, whose approvals are still pending. */
  filterPending(ids: readonly string[]): Promise<readonly string[]>;
  /** The first answer counts: of two concurrent ones, one returns `answered`, the other `already`. */
  answer(
    id: string,
    answer: ApprovalAnswer,
    by: string,
    now: number,
  ): Promise<'answered' | 'already' | 'expired' | 'missing'>;
  /** Every approval since a time that a person answered, oldest first. */
  answers(since: number): AsyncIterable<AnsweredCall>;
  /** Uses an allowed approval for its call. Returns true exactly once. */
  use(id: string): Promise<boolean>;
  /** Expires overdue approvals; returns their ids. */
  expire(now: number): Promise<readonly string[]>;
}

/** Equal for two approvals that are about the same call by the same caller. */
export function approvalKey(request: ApprovalRequest): string {
  const {
    caller,
    server,
    tool,
    originalName,
    argumentsHash,
    definitionHash,
    serverHash,
    flows,
    approvers = 'admins',
  } = request;
  const asker = [caller.kind, caller.id, caller.conversation ?? null];
  // An answer under a profile that lets the caller answer must not count under one that does not.
  const group = approvers === 'admins' ? [] : [approvers];
  const target = [server ?? null, ...(serverHash === undefined ? [] : [serverHash])];
  // An answer to a question without them must not count for data that has entered the conversation since.
  const path = flows ? [flows.map(({ id, labels }) => [id, labels])] : [];
  return hashOf([asker, target, tool, originalName, argumentsHash, definitionHash, ...group, ...path]);
}
