import { sql } from 'kysely';
import type { Migration } from './engine.ts';

/** The pins of tools that nobody has accepted. */
export const newToolsSchema: Migration = {
  version: 3,
  name: 'new-tools',
  async up(db) {
    await sql.raw('alter table pins add column is_new integer not null default 0').execute(db);
  },
};
