import { sql } from 'kysely';
import { appendSteps } from './015-append-steps.ts';
import type { Migration } from './migration.ts';

/** Databases that were migrated before get the function that never opens an ended call again. */
export const endedCalls: Migration = {
  version: 17,
  name: 'ended-calls',
  async up(db, { bigint }) {
    if (bigint === 'bigint') await sql.raw(appendSteps).execute(db);
  },
};
