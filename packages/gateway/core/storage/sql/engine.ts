import type { Kysely, Transaction } from 'kysely';
import type { FleetStore } from '../../../../toolwharf/storage/ports/fleet-store.ts';
import type { ReplicaLease } from '../../../../toolwharf/storage/ports/replica-lease.ts';
import type { Sealer } from '../../../../toolwharf/storage/sealer.ts';
import type { StepWrite } from './step-write.ts';
import type { PinRow, Tables } from './tables.ts';

export type Database = Kysely<Tables>;
/** An open transaction. */
export type Writing = Transaction<Tables>;

/** The differences between the SQL databases. */
export interface Engine {
  readonly db: Database;
  /** Appends to the journal faster than a transaction of `db`; undefined if the database has none. */
  readonly spool?: Spool;
  /** Appends a batch to the journal in one round trip; undefined if no other process uses the database. */
  readonly appendBatch?: AppendBatch;
  /** Writes many pins in another thread; undefined if the database has none. */
  readonly writePins?: (rows: readonly PinRow[]) => Promise<void>;
  /** Runs a query that reads many rows in another thread; undefined if the database does not run in this process. */
  readonly readInThread?: (sql: string, parameters: readonly unknown[]) => Promise<readonly object[]>;
  /** Returns the space of removed rows to the file system; undefined if the database does that itself. */
  readonly shrink?: (signal?: AbortSignal) => Promise<void>;
  /** The column type of whole numbers up to 2^53. */
  readonly bigint: 'integer' | 'bigint';
  /** No other process writes to the database, so reads can be cached. */
  readonly exclusive: boolean;
  /** Locks out other processes until the transaction ends. */
  lockForMigration(trx: Database): Promise<void>;
  isUniqueViolation(error: unknown): boolean;
  /** Registers this process as a user of the database. The tables must exist. */
  own(): Promise<Ownership>;
  /** Runs work that one process may do at a time; undefined if there can be no other process. */
  readonly createLocks?: (ownership: Ownership) => WithLock;
  /** The state that this process shares with other processes; undefined if there can be no other process. */
  readonly createFleet?: (ownership: Ownership, sealer: Sealer) => FleetStore;
  close(): Promise<void>;
}

/** A step from one version of the tables to the next. A released migration is never changed. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(db: Kysely<unknown>, types: { readonly bigint: 'integer' | 'bigint' }): Promise<void>;
}

/** Runs work that only one process may do at a time. */
export type WithLock = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>;

/** A step that is written only if this process has the lease of the epoch. The end of a call has no epoch. */
export interface BatchStep extends StepWrite {
  readonly epoch?: number;
}

/**
 * `lost`: not written, since the lease is gone. `foreign`: not written, since the call now belongs to another process. `ended`: not
 * written, since the call has ended.
 */
export type BatchOutcome = 'written' | 'lost' | 'foreign' | 'ended';

/** Appends steps, and resolves with the outcome of each when all of them are durable. */
export type AppendBatch = (owner: string, steps: readonly BatchStep[]) => Promise<readonly BatchOutcome[]>;

/** Makes the journal's steps durable before they are in the tables. */
export interface Spool {
  /** Opens the files. Without it, the first step opens them. */
  prepare(): Promise<void>;
  /** Resolves once the step is on the disk if `mustSync`, otherwise once it outlives this process. */
  append(step: OwnedStep): Promise<void>;
  /** Resolves once all appended steps are in the tables; rejects while the tables cannot be written. */
  drain(): Promise<void>;
  /** Steps that may not be in the tables yet, oldest first. */
  pending(): readonly { readonly body: string }[];
}

export interface OwnedStep extends Omit<StepWrite, 'record'> {
  readonly owner: string;
}

/** The registration of this process as a user of the database. */
export interface Ownership {
  readonly id: string;
  /** Interval of heartbeats and of looking for dead processes; undefined if there can be no other process. */
  readonly renewMs?: number;
  renew(): Promise<void>;
  /** Undefined if no other process can use the database. */
  readonly lease?: ReplicaLease;
  /** Makes sure that others see this process before it claims something. */
  ensureRegistered(): Promise<void>;
  /** Whether other processes are gone, or have left calls open. Asked without locks before they are removed. */
  hasLost?(): Promise<boolean>;
  /** Removes other processes that are gone. */
  removeExpired(trx: Writing): Promise<void>;
  /** Other processes that use the database, as `pid on host`. */
  others(): Promise<readonly string[]>;
  release(): Promise<void>;
}
