import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteEngine } from '../sqlite/sqlite-engine.ts';
import { migrate } from './migrate.ts';
import { createSqlVectors } from './sql-vectors.ts';

test('the vectors that were not used for the longest time are removed when there are too many', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'toolwharf-vectors-'));
  const engine = await openSqliteEngine(join(directory.path, 'toolwharf.db'));
  try {
    await migrate(engine);
    const dayMs = 24 * 3_600_000;
    let now = 0;
    const vectors = createSqlVectors(engine, { now: () => now }, 4);
    const put = (...keys: string[]) => vectors.putAll(new Map(keys.map((key) => [key, Float32Array.of(1)])));
    const keysIn = async (...keys: string[]) => [...(await vectors.getAll(keys)).keys()].sort();
    await put('a', 'b', 'c', 'd');
    now = 2 * dayMs;
    expect(await keysIn('b', 'd')).toEqual(['b', 'd']);
    now = 2 * dayMs + 1;
    await put('e');
    await put('f');
    // Vectors are counted again after four new ones.
    await put('b', 'd');
    expect(await keysIn('a', 'b', 'c', 'd', 'e', 'f')).toEqual(['b', 'd', 'e', 'f']);
  } finally {
    await engine.close();
  }
});
