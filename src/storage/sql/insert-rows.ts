import { type Compilable, CompiledQuery } from 'kysely';
import type { Database, Writing } from './engine.ts';

const sizes = [64, 16, 4, 1];

/**
 * Inserts any number of rows with a few statements of fixed sizes, built once: the driver keeps them prepared,
 * and building a query costs more than running it.
 */
export function createRowInsert<Row extends object>(
  db: Database,
  example: Row,
  build: (db: Database, rows: readonly Row[]) => Compilable,
): (trx: Writing, rows: readonly Row[]) => Promise<void> {
  const columns = Object.keys(example) as (keyof Row)[];
  const statements = new Map(sizes.map((size) => [size, build(db, Array(size).fill(example)).compile().sql]));
  return async (trx, rows) => {
    let start = 0;
    for (const [size, statement] of statements) {
      for (; rows.length - start >= size; start += size) {
        const values = rows.slice(start, start + size).flatMap((row) => columns.map((column) => row[column]));
        await trx.executeQuery(CompiledQuery.raw(statement, values));
      }
    }
  };
}
