import type { Lease } from '../../invocation/journal.ts';

/** A lease that another replica removed. */
export interface LostLease {
  readonly epoch: number;
  /** How long ago it may have been removed at the earliest. */
  readonly expiredMs: number;
}

/** The lease of this replica in the database. */
export interface ReplicaLease extends Lease {
  /** How long the lease is valid after it was extended. */
  readonly durationMs: number;
  /** Milliseconds until another replica may remove the lease; negative if it may have done so already. */
  remainingMs(): number;
  /** Extends the lease, or takes a new one if it was removed. */
  renew(): Promise<void>;
  /** Calls the listener after a lease was removed and a new one was taken. */
  onLost(listener: (lost: LostLease) => void): void;
}
