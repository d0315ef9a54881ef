import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../../contract/json.ts';
import {
  acceptanceHash,
  type Pin,
  type PinnedHash,
  type PinStore,
  pinKey,
} from '../../../../toolwharf/catalog/pins.ts';
import { hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';
import {
  jsonTextOf,
  keepMemberTexts,
  memberWithText,
  parseJson,
  toJsonText,
} from '../../../../toolwharf/kernel/exact-json.ts';
import { mapInSlices } from '../../../../toolwharf/kernel/slices.ts';
import { toIndexText } from '../chain/call-columns.ts';
import { createRowInsert } from './append-steps.ts';
import type { Engine } from './engine.ts';
import { parseRow } from './parse-row.ts';
import type { PinRow } from './tables.ts';

const pageSize = 2_000;
/** Smaller than `pageSize`, because these rows have whole definitions and not only hashes. */
const listPageSize = 500;
/** More rows than this are written by the engine's thread, if it has one. */
const maxRowsOnMainThread = 64;

/** Pins in a database. */
export function createSqlPins({ db, writePins }: Engine): PinStore {
  const insertRows = createRowInsert(db, examplePin, (to, rows) =>
    to
      .insertInto('pins')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet((row) => ({
          hash: row.ref('excluded.hash'),
          suffixed: row.ref('excluded.suffixed'),
          is_new: row.ref('excluded.is_new'),
          accepted_at: row.ref('excluded.accepted_at'),
          body: row.ref('excluded.body'),
        })),
      ),
  );
  const toPin = ({ key, body, ...row }: Pick<PinRow, 'key' | 'body' | 'suffixed' | 'is_new'>): Pin => ({
    ...parseRow('pins', key, () => parsePin(body)),
    ...toFlags(row),
  });

  /** A pin with other columns than its own would not be found, and its tool could change unnoticed. */
  function assertFound(row: Pick<PinRow, 'key' | 'server_key' | 'tool'>, pin: Pin): Pin {
    return parseRow('pins', row.key, () => {
      const { key, tool, server_key: server } = toRow(pin, hashOf(pin.serverAddress));
      if (row.key === key && row.tool === tool && row.server_key === server) return pin;
      throw new Error('The columns are those of another pin');
    });
  }

  return {
    async get(serverAddress, tool) {
      const row = await db
        .selectFrom('pins')
        .select(['key', 'body', 'suffixed', 'is_new'])
        .where('key', '=', pinKey({ serverAddress, tool }))
        .executeTakeFirst();
      return row && toPin(row);
    },
    async readHashes(serverAddress) {
      const hashes = new Map<string, PinnedHash>();
      for (let after = ''; ; await nextTurn()) {
        const rows = await db
          .selectFrom('pins')
          .select(['key', 'tool', 'hash', 'suffixed', 'is_new'])
          .where('server_key', '=', hashOf(serverAddress))
          .where('key', '>', after)
          .orderBy('key')
          .limit(pageSize)
          .execute();
        for (const { tool, hash, ...row } of rows) hashes.set(tool, { hash, ...toFlags(row) });
        if (rows.length < pageSize) return { get: (tool) => hashes.get(toIndexText(tool)) };
        after = rows.at(-1)?.key ?? after;
      }
    },
    async readAll(serverAddress) {
      const pins: Pin[] = [];
      for (let after = ''; ; await nextTurn()) {
        const rows = await db
          .selectFrom('pins')
          .select(['key', 'body', 'suffixed', 'is_new'])
          .where('server_key', '=', hashOf(serverAddress))
          .where('key', '>', after)
          .orderBy('key')
          .limit(listPageSize)
          .execute();
        pins.push(...rows.map(toPin));
        if (rows.length < listPageSize) return pins;
        after = rows.at(-1)?.key ?? after;
      }
    },
    async setAll(pins) {
      const serverKeys = new Map<string, string>();
      const serverKeyOf = (address: string) => {
        const key = serverKeys.get(address) ?? hashOf(address);
        serverKeys.set(address, key);
        return key;
      };
      const rows = await toOrderedRows(pins, serverKeyOf);
      if (writePins && rows.length > maxRowsOnMainThread) await writePins(rows);
      else if (rows.length > 0) await db.transaction().execute((trx) => insertRows(trx, rows));
    },
    async setSuffixed(serverAddress, tools) {
      for (let start = 0; start < tools.length; start += pageSize) {
        const keys = tools.slice(start, start + pageSize).map((tool) => pinKey({ serverAddress, tool }));
        await db.updateTable('pins').set({ suffixed: 1 }).where('key', 'in', keys).execute();
        await nextTurn();
      }
    },
    async listHashes() {
      const hashes = new Map<string, string>();
      for (let after = ''; ; await nextTurn()) {
        const page = db.selectFrom('pins').select(['key', 'hash', 'is_new']).where('key', '>', after);
        const rows = await page.orderBy('key').limit(pageSize).execute();
        for (const { key, hash, is_new } of rows)
          hashes.set(key, acceptanceHash({ hash, isNew: is_new === 1 || undefined }));
        if (rows.length < pageSize) return hashes;
        after = rows.at(-1)?.key ?? after;
      }
    },
    async list({ after = '', limit = Number.POSITIVE_INFINITY } = {}) {
      const pins: Pin[] = [];
      for (let last = after; pins.length < limit; await nextTurn()) {
        const count = Math.min(listPageSize, limit - pins.length);
        const rows = await db
          .selectFrom('pins')
          .select(['key', 'server_key', 'tool', 'body', 'suffixed', 'is_new'])
          .where('key', '>', last)
          .orderBy('key')
          .limit(count)
          .execute();
        pins.push(...rows.map((row) => assertFound(row, toPin(row))));
        if (rows.length < count) return pins;
        last = rows.at(-1)?.key ?? last;
      }
      return pins;
    },
  };
}

/**
 * The rows in the order of the first digits of their keys, which are hashes. Rows that are written together then change
 * neighbouring pages of the indexes; in any other order each write of some hundred rows would change nearly all pages.
 */
async function toOrderedRows(pins: readonly Pin[], serverKeyOf: (address: string) => string): Promise<PinRow[]> {
  const byStart = new Map<string, PinRow[]>();
  await mapInSlices(pins, (pin) => {
    const row = toRow(pin, serverKeyOf(pin.serverAddress));
    const start = row.key.slice(0, 2);
    const rows = byStart.get(start);
    if (rows) rows.push(row);
    else byStart.set(start, [row]);
  });
  return [...byStart.keys()].sort().flatMap((start) => byStart.get(start) ?? []);
}

function toFlags({ suffixed, is_new }: Pick<PinRow, 'suffixed' | 'is_new'>): Pick<Pin, 'suffixed' | 'isNew'> {
  return { suffixed: suffixed === 1 || undefined, isNew: is_new === 1 || undefined };
}

function parsePin(body: string): Pin {
  const pin = parseJson(body) as Pin;
  const definition = memberWithText(pin as unknown as JsonObject, 'definition') as Pin['definition'];
  return { ...pin, definition: keepMemberTexts(definition, jsonTextOf(definition)) as Pin['definition'] };
}

function toRow(pin: Pin, serverKey: string): PinRow {
  return {
    key: pinKey(pin),
    server_key: serverKey,
    tool: toIndexText(pin.tool),
    hash: pin.hash,
    suffixed: pin.suffixed ? 1 : 0,
    is_new: pin.isNew ? 1 : 0,
    accepted_at: Date.parse(pin.acceptedAt) || 0,
    body: toJsonText({ ...pin, suffixed: undefined, isNew: undefined }),
  };
}

const examplePin: PinRow = {
  key: '',
  server_key: '',
  tool: '',
  hash: '',
  suffixed: 0,
  is_new: 0,
  accepted_at: 0,
  body: '',
};
