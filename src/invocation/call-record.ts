import type { JsonObject } from '../kernel/json.ts';
import type { Caller, Truncation } from '../kernel/tool.ts';

/** What started a call from within: another call (a chain or composed tool), or an answer of an assistant. */
export interface CallParent {
  readonly kind: 'call' | 'answer';
  readonly id: string;
}

export const callStatuses = ['pending', 'running', 'success', 'error'] as const;
export type CallStatus = (typeof callStatuses)[number];

/** Why a call ended as `error`; `tool` is the tool's own word, the others are ours. */
export const callEnds = ['tool', 'denied', 'cancelled', 'timeout', 'invalid', 'unknown-outcome', 'failed'] as const;
export type CallEnd = (typeof callEnds)[number];

/** One call from asked to ended. Each step is written to the journal and published. */
export interface CallRecord {
  readonly id: string;
  /** Undefined for a local tool. */
  readonly server?: string;
  readonly tool: string;
  readonly originalName: string;
  readonly caller: Caller;
  /** Undefined for a call that a caller made itself. */
  readonly parent?: CallParent;
  readonly arguments: JsonObject;
  readonly definitionHash: string;
  readonly status: CallStatus;
  readonly end?: CallEnd;
  readonly createdAt: string;
  /** When the call was sent to its server. */
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly result?: JsonObject;
  /** Set when `result` is less than the server sent. */
  readonly truncated?: Truncation;
  /** There was a result, but the journal does not keep any of its size. */
  readonly resultOmitted?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
  readonly idempotencyKey?: string;
}
