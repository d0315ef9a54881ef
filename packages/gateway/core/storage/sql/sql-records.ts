import { isEmptyOverride, type ToolOverrideStore } from '../../../../toolwharf/catalog/tool-overrides.ts';
import { canonicalJson } from '../../../../toolwharf/kernel/canonical-json.ts';
import { touchPrecisionMs } from '../../../../toolwharf/storage/ports/key-store.ts';
import type { RecordStore, Stored } from '../../../../toolwharf/storage/ports/record-store.ts';
import type { Sealer } from '../../../../toolwharf/storage/sealer.ts';
import type { MetaStore } from '../../../../toolwharf/storage/storage.ts';
import { nameTaken } from '../../records/administer.ts';
import { type RecordKind, toolOverrideKind } from '../../records/kinds.ts';
import { withoutRevision } from '../../records/modify-record.ts';
import { toIndexText } from '../chain/call-columns.ts';
import type { Database, Engine } from './engine.ts';
import { parseRow } from './parse-row.ts';
import type { RecordRow } from './tables.ts';

/** The sealing context of a record. */
export function recordContext(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/** The records of one kind in a database. */
export function createSqlRecords<Item>(
  { db, isUniqueViolation }: Pick<Engine, 'db' | 'isUniqueViolation'>,
  type: RecordKind<Item>,
  sealer: Sealer,
): RecordStore<Item> {
  const { kind, idOf, keyOf, sortedBy, parse = (content) => content as Item, lastUse } = type;
  const { lastUsePrecisionMs = touchPrecisionMs } = type;
  const all = db.selectFrom('records').select(['id', 'key', 'revision', 'used_at', 'body']).where('kind', '=', kind);

  function decode({ id, key, revision, used_at: usedAt, body }: Omit<RecordRow, 'kind' | 'name'>) {
    const item = parseRow('records', recordContext(kind, id), () => {
      const content = parse(JSON.parse(type.isSealed ? sealer.open(body, recordContext(kind, id)) : body));
      // The audit signs the body. Nobody may find it under another id, or an API key by another secret.
      if (id !== idOf(content)) throw new Error('The id is that of another record');
      if (key !== null && keyOf && key !== toIndexText(keyOf(content)))
        throw new Error('The key is that of another record');
      return content;
    });
    const used = lastUse && usedAt !== null ? { [lastUse]: new Date(usedAt).toISOString() } : {};
    return { ...item, ...used, revision } as Stored<Item>;
  }

  function toRow(item: Item) {
    const { revision: _, ...content } = item as Stored<Item>;
    const id = idOf(item);
    const body = canonicalJson(lastUse ? { ...content, [lastUse]: undefined } : content);
    return {
      name: toIndexText(type.nameOf(item)),
      key: keyOf ? toIndexText(keyOf(item)) : null,
      body: type.isSealed ? sealer.seal(body, recordContext(kind, id)) : body,
    };
  }

  /** Returns whether the record was written. */
  async function write(item: Item, revision: number): Promise<boolean> {
    const id = idOf(item);
    const row = { ...toRow(item), revision: revision + 1 };
    if (revision === 0) {
      const used = lastUse && item[lastUse];
      const usedAt = typeof used === 'string' ? Date.parse(used) : null;
      const add = db.insertInto('records').values({ kind, id, ...row, used_at: usedAt });
      const added = await add.onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing()).executeTakeFirst();
      return added.numInsertedOrUpdatedRows === 1n;
    }
    const change = db.updateTable('records').set(row).where('kind', '=', kind).where('id', '=', id);
    return (await change.where('revision', '=', revision).executeTakeFirst()).numUpdatedRows > 0n;
  }

  async function replace(item: Item, revision: number): Promise<Stored<Item> | undefined> {
    try {
      return (await write(item, revision)) ? { ...item, revision: revision + 1 } : undefined;
    } catch (cause) {
      throw isUniqueViolation(cause) ? nameTaken(type.noun, type.nameOf(item)) : cause;
    }
  }

  return {
    async list() {
      const rows = (await all.orderBy('id').execute()).map((row) => {
        const item = decode(row);
        return { item, text: sortedBy(item) };
      });
      // Sorted here, since databases collate text differently. Equal texts stay in the order of their ids.
      return rows
        .sort((one, other) => (one.text < other.text ? -1 : Number(one.text > other.text)))
        .map(({ item }) => item);
    },
    async get(id) {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row && decode(row);
    },
    async find(key) {
      const row = await all.where('key', '=', toIndexText(key)).executeTakeFirst();
      return row && decode(row);
    },
    async put(item) {
      for (;;) {
        const row = await all.where('id', '=', idOf(item)).executeTakeFirst();
        const stored = await replace(item, row?.revision ?? 0);
        if (stored) return stored;
      }
    },
    replace,
    async remove(id, revision) {
      const one = db.deleteFrom('records').where('kind', '=', kind).where('id', '=', id);
      const selected = revision === undefined ? one : one.where('revision', '=', revision);
      return (await selected.executeTakeFirst()).numDeletedRows > 0n;
    },
    async touch(id, at) {
      const now = Date.parse(at);
      await db
        .updateTable('records')
        .set({ used_at: now })
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where(({ eb, or }) => or([eb('used_at', 'is', null), eb('used_at', '<=', now - lastUsePrecisionMs)]))
        .execute();
    },
  };
}

// A statement takes a limited number of parameters.
const batch = 400;

/** Tool overrides in a database. */
export function createSqlToolOverrides(engine: Engine, sealer: Sealer): ToolOverrideStore {
  const { kind, idOf, nameOf } = toolOverrideKind;
  const records = createSqlRecords(engine, toolOverrideKind, sealer);
  return {
    list: async () => (await records.list()).map(withoutRevision),
    async setAll(overrides) {
      await engine.db.transaction().execute(async (trx) => {
        for (let at = 0; at < overrides.length; at += batch) {
          const part = new Map(overrides.slice(at, at + batch).map((override) => [idOf(override), override]));
          const ids = [...part.keys()];
          const removed = await trx
            .deleteFrom('records')
            .where('kind', '=', kind)
            .where('id', 'in', ids)
            .returning(['id', 'revision'])
            .execute();
          const revisions = new Map(removed.map(({ id, revision }) => [id, revision]));
          const rows = [...part]
            .filter(([, override]) => !isEmptyOverride(override))
            .map(([id, override]) => ({
              ...{ kind, id, name: toIndexText(nameOf(override)), revision: (revisions.get(id) ?? 0) + 1 },
              body: canonicalJson(override),
            }));
          if (rows.length > 0) await trx.insertInto('records').values(rows).execute();
        }
      });
    },
  };
}

/** Small named texts in a database. */
export function createSqlMeta(db: Database): MetaStore {
  return {
    async get(name) {
      const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value;
    },
    async set(name, value) {
      await db
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
