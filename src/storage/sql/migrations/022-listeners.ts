import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** How long replicas of the previous version may go on: they do not record that somebody listens to events. */
const upgradeMs = 3_600_000;

/** The last time at which a replica had listeners to events, as the revision of a topic that every replica reads anyway. */
export const listenersTopic: Migration = {
  version: 22,
  name: 'listeners',
  async up(db, { bigint }) {
    const isUpgrade = bigint === 'bigint' && (await sql`select 1 from owners limit 1`.execute(db)).rows.length > 0;
    const until = isUpgrade
      ? sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + ${sql.lit(upgradeMs)}`
      : sql`0`;
    await sql`insert into revisions (topic, revision) values ('listeners', ${until})`.execute(db);
  },
};
