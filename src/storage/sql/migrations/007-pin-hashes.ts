import type { Kysely } from 'kysely';
import { hashOf } from '../../../kernel/canonical-json.ts';
import { toIndexText } from '../../chain/call-columns.ts';
import type { Migration } from './migration.ts';

const batch = 500;

/** Makes the hashes of a server's pins readable together and without the definitions. */
export const pinHashes: Migration = {
  version: 7,
  name: 'pin-hashes',
  async up(database) {
    const db = database as Kysely<{ pins: Record<string, string | number> & { key: string; body: string } }>;
    const text = (name: string) =>
      db.schema
        .alterTable('pins')
        .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
        .execute();
    for (const name of ['server_key', 'tool', 'hash']) await text(name);
    await db.schema
      .alterTable('pins')
      .addColumn('suffixed', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    for (let after = ''; ; ) {
      const rows = await db
        .selectFrom('pins')
        .select(['key', 'body'])
        .where('key', '>', after)
        .orderBy('key')
        .limit(batch)
        .execute();
      for (const { key, body } of rows) {
        const { serverAddress, tool, hash, suffixed } = JSON.parse(body);
        const columns = {
          server_key: hashOf(serverAddress),
          tool: toIndexText(tool),
          hash,
          suffixed: suffixed ? 1 : 0,
        };
        await db.updateTable('pins').set(columns).where('key', '=', key).execute();
      }
      if (rows.length < batch) break;
      after = rows.at(-1)?.key ?? after;
    }
    await db.schema.createIndex('pins_by_server').on('pins').columns(['server_key', 'key']).execute();
  },
};
