import type { Clock } from '../../../../toolwharf/kernel/clock.ts';
import { maxStoredVectors, type VectorStore } from '../../../../toolwharf/storage/ports/vector-store.ts';
import type { Engine } from './engine.ts';

// A statement takes a limited number of parameters.
const batch = 250;
/** The time of the last use is only this exact, so that most reads write nothing. */
const useMs = 24 * 3_600_000;
/** Vectors are counted after this number of new ones. */
const countEvery = 1_000;

/** Vectors in a database, as base64 of their 32-bit numbers. Those that were not used for the longest time are removed. */
export function createSqlVectors(
  { db }: Pick<Engine, 'db'>,
  clock: Pick<Clock, 'now'>,
  max = maxStoredVectors,
): VectorStore {
  let added = 0;

  async function removeOldest(): Promise<void> {
    const { count } = await db
      .selectFrom('vectors')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    const excess = Number(count) - max;
    if (excess <= 0) return;
    const oldest = db.selectFrom('vectors').select('key').orderBy('used_at').orderBy('key').limit(excess);
    await db.deleteFrom('vectors').where('key', 'in', oldest).execute();
  }

  return {
    async getAll(keys) {
      const found = new Map<string, Float32Array>();
      const now = clock.now();
      for (let at = 0; at < keys.length; at += batch) {
        const part = keys.slice(at, at + batch);
        const rows = await db.selectFrom('vectors').selectAll().where('key', 'in', part).execute();
        for (const { key, vector } of rows) found.set(key, decode(vector));
        const stale = rows.filter(({ used_at }) => Number(used_at) < now - useMs).map(({ key }) => key);
        if (stale.length > 0) await db.updateTable('vectors').set({ used_at: now }).where('key', 'in', stale).execute();
      }
      return found;
    },
    async putAll(vectors) {
      const now = clock.now();
      // Replicas lock the rows in the same order.
      const sorted = [...vectors].sort(([one], [other]) => (one < other ? -1 : 1));
      const rows = sorted.map(([key, vector]) => ({ key, vector: encode(vector), used_at: now }));
      for (let at = 0; at < rows.length; at += batch)
        await db
          .insertInto('vectors')
          .values(rows.slice(at, at + batch))
          // Another replica may have computed the same vector.
          .onConflict((conflict) => conflict.column('key').doNothing())
          .execute();
      added += rows.length;
      if (added < Math.min(countEvery, max)) return;
      added = 0;
      await removeOldest();
    },
  };
}

function encode(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  // A copy: a buffer of Node need not begin at a multiple of four bytes.
  return new Float32Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / 4));
}
