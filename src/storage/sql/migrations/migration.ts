import type { Kysely } from 'kysely';

/** A step from one version of the tables to the next. A released migration is never changed. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(db: Kysely<unknown>, types: { readonly bigint: 'integer' | 'bigint' }): Promise<void>;
}
