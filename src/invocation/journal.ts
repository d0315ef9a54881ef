import type { CallRecord, CallStatus } from './call-record.ts';

export interface CallFilter {
  readonly server?: string;
  readonly tool?: string;
  readonly status?: CallStatus;
  readonly caller?: string;
  /** Only the children of the call or answer with this id. */
  readonly parent?: string;
  /** ISO times; `since` is included, `until` is not. */
  readonly since?: string;
  readonly until?: string;
  /** Only calls older than the one with this id: how to go on after a page. */
  readonly before?: string;
  /** Newest first; 100. */
  readonly limit?: number;
}

/** An idempotency key of one caller, and the call it stands for. */
export interface KeyClaim {
  readonly caller: string;
  readonly key: string;
  /** Hash of tool and arguments. */
  readonly fingerprint: string;
  readonly callId: string;
}

/** The durable record of calls. A write that rejects before a call is sent stops the call. */
export interface Journal {
  /** Resolves once the record is safe. Later writes of the same id replace it. */
  write(record: CallRecord): Promise<void>;
  get(id: string): Promise<CallRecord | undefined>;
  list(filter?: CallFilter): Promise<readonly CallRecord[]>;
  /** Takes a key for a call, safely and once: undefined when it was free, else the claim that has it. */
  claim(claim: KeyClaim): Promise<KeyClaim | undefined>;
}
