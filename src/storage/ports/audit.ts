import type { CallRecord } from '../../invocation/call-record.ts';

/**
 * Something in the journal that is not as it was written. `changed`: its content does not fit its hash, or the list of calls
 * says something else. `missing`: steps were removed. `torn`: half a step, or one the list of calls does not know.
 * `order`: it does not follow the step before it.
 */
export interface AuditFinding {
  readonly seq: number;
  readonly kind: 'changed' | 'missing' | 'torn' | 'order';
  readonly detail: string;
}

/** One step of one call, with its place in the chain. Plain JSON. */
export interface AuditEntry {
  readonly seq: number;
  readonly callId: string;
  readonly at: string;
  /** The whole call as of this step; the text that is left where a step is torn. */
  readonly record: CallRecord | string;
  readonly previous: string;
  readonly hash: string;
}

export interface ExportOptions {
  /** Go on after the entry with this number. */
  readonly after?: number;
  readonly limit?: number;
}

export interface RetainOptions {
  /** Steps older than this go, with the calls and answered approvals that ended before. */
  readonly maxAgeMs?: number;
  /** At most this many calls stay. */
  readonly maxCalls?: number;
  /** Steps removed in one transaction; 500. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
}

/** What can be proved about the journal, and what becomes of it. */
export interface Audit {
  /** Reads the whole journal; nothing found means that nothing was changed. Can run while calls are recorded. */
  verify(): AsyncIterable<AuditFinding>;
  /** Every step in order, from the oldest that is kept. */
  export(options?: ExportOptions): AsyncIterable<AuditEntry>;
  /** Removes the oldest, never a call that is not over, and keeps what `verify` needs. */
  retain(options: RetainOptions): Promise<{ readonly calls: number; readonly steps: number }>;
  /** Ends the calls that a process left open when it went away; gives back how many. None is made again. */
  recover(): Promise<number>;
}
