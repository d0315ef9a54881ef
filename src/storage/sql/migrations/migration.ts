import type { Kysely } from 'kysely';

/** One step from a version of the tables to the next. Once released it is never changed. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(db: Kysely<unknown>, types: { readonly bigint: 'integer' | 'bigint' }): Promise<void>;
}
