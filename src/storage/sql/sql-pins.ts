import type { PinStore } from '../../catalog/pins.ts';
import { canonicalJson, hashOf } from '../../kernel/canonical-json.ts';
import type { Engine } from './engine.ts';

/** Pins in a database. */
export function createSqlPins({ db }: Engine): PinStore {
  // Hashed, since addresses can be too long for an index.
  const keyOf = (serverAddress: string, tool: string) => hashOf([serverAddress, tool]);
  return {
    async get(serverAddress, tool) {
      const key = keyOf(serverAddress, tool);
      const row = await db.selectFrom('pins').select('body').where('key', '=', key).executeTakeFirst();
      return row && JSON.parse(row.body);
    },
    async set(pin) {
      const row = { accepted_at: Date.parse(pin.acceptedAt) || 0, body: canonicalJson(pin) };
      await db
        .insertInto('pins')
        .values({ key: keyOf(pin.serverAddress, pin.tool), ...row })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute();
    },
    async list() {
      const rows = await db.selectFrom('pins').select('body').orderBy('accepted_at').orderBy('key').execute();
      return rows.map(({ body }) => JSON.parse(body));
    },
  };
}
