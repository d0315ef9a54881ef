import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { evictOldest } from '../../kernel/evict-oldest.ts';

const maxStatements = 200;

/** Node's own SQLite in the shape that kysely's dialect drives, with its statements kept prepared. */
export function toKyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const known = prepared.get(sql);
      if (known) return known;
      const statement = toKyselyStatement(database.prepare(toImmediate(sql)));
      prepared.set(sql, statement);
      evictOldest(prepared, maxStatements);
      return statement;
    },
    close: () => database.close(),
  };
}

/** All our transactions write: one that asks for the lock at its start waits for it, one that asks later fails. */
function toImmediate(sql: string): string {
  return sql === 'begin' ? 'begin immediate' : sql;
}

function toKyselyStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
