import type { CallRecord, CallStatus } from './call-record.ts';

export interface CallFilter {
  readonly server?: string;
  readonly tool?: string;
  readonly status?: CallStatus;
  readonly caller?: string;
  /** ISO times; `since` is included, `until` is not. */
  readonly since?: string;
  readonly until?: string;
  /** Newest first; 100. */
  readonly limit?: number;
}

/** The durable record of calls. A write that rejects before a call is sent stops the call. */
export interface Journal {
  /** Resolves once the record is safe. Later writes of the same id replace it. */
  write(record: CallRecord): Promise<void>;
  get(id: string): Promise<CallRecord | undefined>;
  list(filter?: CallFilter): Promise<readonly CallRecord[]>;
}
