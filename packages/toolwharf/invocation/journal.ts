import type { CallStatus } from '../../contract/calls.ts';
import { messageOf, ToolwharfError, toToolwharfError } from '../../contract/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { CallRecord } from './call-record.ts';

/** Selects recorded calls. All conditions must hold. */
export interface CallFilter {
  /** Only calls, reads and searches, or only acts of administration; all by default. */
  readonly kind?: 'calls' | 'administration';
  readonly server?: string;
  readonly tool?: string;
  readonly status?: CallStatus;
  readonly caller?: string;
  /** Only calls of these callers. */
  readonly callers?: readonly string[];
  /** A part of the tool's name, its original name, the server or the caller's id; upper and lower case are equal. */
  readonly search?: string;
  /** Only the children of the call or answer with this id. */
  readonly parent?: string;
  /** ISO times; `since` is inclusive, `until` is exclusive. */
  readonly since?: string;
  readonly until?: string;
  /** Only calls older than the call with this id; the cursor for the next page. */
  readonly before?: string;
  /** Results are ordered newest first; 100 by default. */
  readonly limit?: number;
}

/** The idempotency key of a caller, and the call that claimed it. */
export interface KeyClaim {
  readonly caller: string;
  readonly key: string;
  /** Hash of tool and arguments. */
  readonly fingerprint: string;
  readonly callId: string;
  /** The epoch of the lease in which the call was started. */
  readonly epoch?: number;
  /** When the key was claimed. Each later claim of the same key has a later time, also if the clock was set back. */
  readonly claimedAt?: number;
}

/** The right of this process to make calls. Without a heartbeat, it expires. */
export interface Lease {
  /** Rises each time a lease was lost and a new one was taken. */
  readonly epoch: number;
  /** Whether the lease of this epoch is surely valid still, judged without the database. */
  isHeld(epoch: number): boolean;
  /** Calls the listener after a lease was removed and a new one was taken. */
  onLost?(listener: () => void): void;
}

/** The durable record of calls. If a write before dispatch fails, the call is not sent. */
export interface Journal {
  /** Whether other processes write to it too. */
  readonly isShared?: boolean;
  /** The id of this process in a shared journal. */
  readonly replica?: string;
  /** Undefined if no other process can end or take over the calls of this one. */
  readonly lease?: Lease;
  /**
   * Resolves when the record is durable. A later write with the same id replaces it. Rejects if `epoch` is given and its
   * lease is gone, since another process may have ended or continued the call.
   */
  write(record: CallRecord, epoch?: number): Promise<void>;
  get(id: string): Promise<CallRecord | undefined>;
  /** Large records are previews; `get` returns the whole. */
  list(filter?: CallFilter): Promise<readonly CallRecord[]>;
  /**
   * Claims a key for a call, atomically and durably. Returns undefined if the key was free, otherwise the existing claim. A key is
   * free again if the process that claimed it is gone and never recorded the call: that call was not made. A key that still has the
   * claim `unsent`, whose call surely never reached its tool, is claimed again.
   */
  claim(claim: KeyClaim, unsent?: KeyClaim): Promise<KeyClaim | undefined>;
}

/** Writes a record. Before dispatch, a failed write stops the call. Afterwards the call keeps its result. */
export function writeRecord(
  record: CallRecord,
  when: 'before' | 'after',
  { journal, log }: { readonly journal: Pick<Journal, 'write'>; readonly log: Log },
  epoch?: number,
): Promise<void> {
  // Two promises for each call: an async function would add a third, and its frame.
  return journal.write(record, epoch).catch((cause) => {
    log.error('journal.failed', `The journal could not be written: ${messageOf(cause)}`, { call: record.id });
    if (isLeaseLost(cause)) throw cause;
    if (when === 'before')
      throw new ToolwharfError('JOURNAL_UNAVAILABLE', 'The call was not made: it could not be recorded', { cause });
  });
}

/** Reports a journal that could not be read, or could not claim a key. */
export function failJournal(cause: unknown): never {
  throw toToolwharfError(cause, 'JOURNAL_UNAVAILABLE');
}

/** Checked immediately before a call is sent: the process may have been stopped since the call was recorded. */
export function assertHeld(journal: Pick<Journal, 'lease'>, epoch: number | undefined): void {
  if (!isHeld(journal, epoch)) throw leaseLost();
}

/** Whether no other process can have taken over the calls of this epoch. */
export function isHeld({ lease }: Pick<Journal, 'lease'>, epoch: number | undefined): boolean {
  return !lease || lease.isHeld(epoch ?? lease.epoch);
}

export function isLeaseLost(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.data.isLeaseLost === true;
}

/** The replica may make calls again as soon as it has a new lease. */
export function leaseLost(): ToolwharfError {
  const message = 'The call was not made: this replica was not in contact with the database for too long. Try again';
  return new ToolwharfError('JOURNAL_UNAVAILABLE', message, { data: { isLeaseLost: true } });
}
