import type { CallRecord } from '../../invocation/call-record.ts';
import type { SignedAct } from '../audit/acts.ts';
import type { Link } from '../chain/chain-link.ts';

/**
 * A difference between the journal and what was written. `changed`: its content does not match its hash, or the list of calls
 * says something else. `missing`: steps were removed. `torn`: half a step, or one the list of calls does not know.
 * `order`: it does not follow the step before it.
 */
export interface AuditFinding {
  readonly seq: number;
  readonly kind: 'changed' | 'missing' | 'torn' | 'order';
  readonly detail: string;
}

/** One step of one call, or one signed act, with its position in the chain. Plain JSON. */
export interface AuditEntry {
  readonly seq: number;
  readonly callId: string;
  readonly at: string;
  /** The whole record as of this step; the remaining text if the step is torn. */
  readonly record: CallRecord | SignedAct | string;
  readonly previous: string;
  readonly hash: string;
}

export interface ExportOptions {
  /** Start after the entry with this number. */
  readonly after?: number;
  readonly limit?: number;
}

export interface RetainOptions {
  /** Removes steps, calls and answered approvals that are older than this. */
  readonly maxAgeMs?: number;
  /** Maximum number of calls to keep. */
  readonly maxCalls?: number;
  /** Steps removed in one transaction; 500. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
}

/** Verification, export, retention and recovery of the journal. */
export interface Audit {
  /** Reads the whole journal and yields each difference. Can run while calls are recorded. */
  verify(): AsyncIterable<AuditFinding>;
  /** Every step in order, from the oldest. */
  export(options?: ExportOptions): AsyncIterable<AuditEntry>;
  /** The signed acts after an entry, in order. Much faster than `export`, which also reads every call. */
  acts(after: number): AsyncIterable<AuditEntry>;
  /** Appends a signed act; durable when it resolves. */
  record(act: SignedAct): Promise<void>;
  /** The last removed step and the last written one. */
  ends(): Promise<{ readonly anchor: Link; readonly head: Link }>;
  /** Removes the oldest steps, but never an open call, and keeps the link that `verify` needs. */
  retain(options: RetainOptions): Promise<{ readonly calls: number; readonly steps: number }>;
  /** Ends calls that dead processes left open, without repeating them; returns how many. */
  recover(): Promise<number>;
  /** The scripts that dead processes left open, and that `recover` left open for this one to continue. Each is returned once. */
  takeScripts(): readonly CallRecord[];
}
