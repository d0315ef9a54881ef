import { sql } from 'kysely';
import { appendSteps } from './015-append-steps.ts';
import type { Migration } from './migration.ts';

/** Databases that were migrated before get the function that needs two statements for each record instead of four. */
export const fewerStatements: Migration = {
  version: 23,
  name: 'fewer-statements',
  async up(db, { bigint }) {
    if (bigint === 'bigint') await sql.raw(appendSteps).execute(db);
  },
};
