import { hashOf } from '../kernel/canonical-json.ts';
import type { ApprovalAnswer, ApprovalRequest } from './approval.ts';

/** `used` is an allowed one whose call was started: it allows no second. */
export const approvalStatuses = ['pending', 'allowed', 'denied', 'expired', 'used'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** A question and what became of it. */
export interface ApprovalRecord {
  readonly request: ApprovalRequest;
  readonly status: ApprovalStatus;
  readonly answer?: ApprovalAnswer;
  readonly answeredAt?: string;
  /** Who answered: a person's name, a key, `expiry`. */
  readonly answeredBy?: string;
}

export interface ApprovalFilter {
  readonly status?: ApprovalStatus;
  readonly caller?: string;
  /** Newest first; 100. */
  readonly limit?: number;
}

/** Where questions wait for their answers, also across a restart. Every change is safe before it resolves. */
export interface ApprovalStore {
  /** Adds a question. One about the same exact call that still waits, or was allowed and not used, is given back instead. */
  add(request: ApprovalRequest): Promise<ApprovalRecord>;
  get(id: string): Promise<ApprovalRecord | undefined>;
  list(filter?: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
  /** The first answer counts: of two at once one gets `answered`, the other `already`. Too late is `expired`. */
  answer(
    id: string,
    answer: ApprovalAnswer,
    by: string,
    now: number,
  ): Promise<'answered' | 'already' | 'expired' | 'missing'>;
  /** Takes an allowed one for its call. True exactly once. */
  use(id: string): Promise<boolean>;
  /** Ends what waited too long; gives back the ids. */
  expire(now: number): Promise<readonly string[]>;
}

/** The same for two questions exactly when they are about the same call by the same caller. */
export function approvalKey(request: ApprovalRequest): string {
  const { caller, server, tool, originalName, argumentsHash, definitionHash } = request;
  const asker = [caller.kind, caller.id, caller.conversation ?? null];
  return hashOf([asker, server ?? null, tool, originalName, argumentsHash, definitionHash]);
}
