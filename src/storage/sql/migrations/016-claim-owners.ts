import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The process that claimed an idempotency key, and the epoch of its lease. Older claims have neither. */
export const claimOwners: Migration = {
  version: 16,
  name: 'claim-owners',
  async up(db, { bigint }) {
    await db.schema.alterTable('claims').addColumn('owner', 'text').execute();
    await db.schema.alterTable('claims').addColumn('epoch', sql.raw<number>(bigint)).execute();
  },
};
