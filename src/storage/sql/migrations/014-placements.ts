import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The replica that runs each server of which there is only one process. */
export const placementTables: Migration = {
  version: 14,
  name: 'placements',
  async up(db, { bigint }) {
    const number = sql.raw<number>(bigint);
    await db.schema
      .createTable('placements')
      .addColumn('server', 'text', (column) => column.primaryKey())
      .addColumn('replica', 'text', (column) => column.notNull())
      .addColumn('epoch', number, (column) => column.notNull())
      .addColumn('term', number, (column) => column.notNull())
      .execute();
    await sql`insert into revisions (topic, revision) values ('placements', 0)`.execute(db);
    if (bigint !== 'bigint') return;
    await sql`create trigger placements_revision after insert or update on placements
      for each statement execute function toolwharf_raise_revision()`.execute(db);
  },
};
