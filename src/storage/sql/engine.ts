import type { Kysely, Transaction } from 'kysely';
import type { StepWrite } from './step-write.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
/** An open transaction; a transaction is a `Database` too. */
export type Writing = Transaction<Tables>;

/** What differs between the SQL databases; everything else is shared. */
export interface Engine {
  readonly db: Database;
  /** A faster way into the journal than a transaction of `db`, where there is one. */
  readonly intake?: Intake;
  /** The column type of whole numbers up to 2^53. */
  readonly bigint: 'integer' | 'bigint';
  /** No other process writes to it: what was read once stays true until we change it. */
  readonly exclusive: boolean;
  /** Makes other processes wait until the transaction ends. */
  lockForMigration(trx: Database): Promise<void>;
  isUniqueViolation(error: unknown): boolean;
  /** Enters this process as one that uses the database. Needs the tables. */
  own(): Promise<Ownership>;
  close(): Promise<void>;
}

/** Where the journal's steps are safe before they are in the tables. */
export interface Intake {
  /** Resolves once the step is on the disk if it must be, else once it outlives this process. */
  append(step: OwnedStep): Promise<void>;
  /** Resolves once all that was appended is in the tables; rejects while the tables can't take it. */
  settle(): Promise<void>;
  /** What may not be in the tables yet, oldest first. */
  unsettled(): readonly { readonly body: string }[];
}

export interface OwnedStep extends Omit<StepWrite, 'record'> {
  readonly owner: string;
}

/** This process's entry among those that use the database. */
export interface Ownership {
  readonly id: string;
  /** How often to say that this process lives, and to look for others that don't; undefined where there can be no other. */
  readonly beatMs?: number;
  beat(): Promise<void>;
  /** Part of each transaction that writes calls: whoever sees them sees their owner alive. */
  keep(trx: Writing): Promise<void>;
  /** Takes out the processes that are gone. */
  forgetGone(trx: Writing): Promise<void>;
  /** Who else uses the database, as `pid on host`. */
  others(): Promise<readonly string[]>;
  release(): Promise<void>;
}
