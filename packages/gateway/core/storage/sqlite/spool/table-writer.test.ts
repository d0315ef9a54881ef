import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { SpooledStep } from './spool-frame.ts';
import { createTableWriter } from './table-writer.ts';

test('each step is written once, even if its file is read repeatedly', () => {
  using database = makeTables();
  const tables = createTableWriter(database);
  const token = tables.renewToken();
  const first = { segment: { token, number: 1 }, steps: steps(0, 250) };
  const second = { segment: { token, number: 2 }, steps: steps(250, 260) };
  for (let round = 0; round < 3; round++) expect(tables.write([second, first])).toBe(2);
  expect(idsIn(database)).toEqual(ids(0, 260));
});

test('an interrupted segment continues at the step where it stopped', () => {
  using database = makeTables();
  const tables = createTableWriter(database);
  const token = tables.renewToken();
  const segment = { segment: { token, number: 1 }, steps: steps(0, 250) };
  database.exec("create trigger broken before insert on steps when new.seq = 130 begin select raise(abort, 'no'); end");
  expect(() => tables.write([segment])).toThrow('no');
  expect(idsIn(database)).toEqual(ids(0, 100));
  database.exec('drop trigger broken');
  tables.write([segment]);
  expect(idsIn(database)).toEqual(ids(0, 250));
});

test('only the last step of a call in a segment is written, even if it is in a later batch', () => {
  using database = makeTables();
  const tables = createTableWriter(database);
  const token = tables.renewToken();
  const both = [...steps(0, 120, 'running'), ...steps(0, 120)];
  tables.write([{ segment: { token, number: 1 }, steps: both }]);
  expect(idsIn(database)).toEqual(ids(0, 120));
  tables.write([{ segment: { token, number: 2 }, steps: steps(120, 121, 'running') }]);
  tables.write([{ segment: { token, number: 3 }, steps: steps(120, 121) }]);
  expect(idsIn(database)).toEqual([...ids(0, 120), 'c120', 'c120']);
  expect(database.prepare("select count(*) as open from calls where status <> 'success'").get()).toEqual({ open: 0 });
});

test('segments with another token are ignored', () => {
  using database = makeTables();
  const tables = createTableWriter(database);
  const old = tables.renewToken();
  tables.renewToken();
  expect(tables.write([{ segment: { token: old, number: 1 }, steps: steps(0, 3) }, { steps: [] }])).toBe(0);
  expect(idsIn(database)).toEqual([]);
});

function makeTables(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    create table meta (name text primary key, value text);
    create table chain (id integer primary key, head_seq integer, head_hash text);
    insert into chain values (1, 0, '${'0'.repeat(64)}');
    create table steps (seq integer primary key, call_id text, at text, body text, previous text, hash text);
    create table summaries (seq integer primary key, body text);
    create table calls (id text primary key, seq integer, first_seq integer, owner text, server text, tool text,
      original_name text, caller text, parent text, status text, created_at integer, outcome text,
      duration_ms integer);
  `);
  return database;
}

function steps(from: number, to: number, status = 'success'): SpooledStep[] {
  const at = '2026-11-01T00:00:00.000Z';
  return ids(from, to).map((id) => {
    const record = { id, server: 's', tool: 't', originalName: 't', caller: { id: 'me' }, status, createdAt: at };
    return { owner: 'me', callId: id, at, body: JSON.stringify(record) };
  });
}

function ids(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `c${from + index}`);
}

function idsIn(database: DatabaseSync): unknown[] {
  return database
    .prepare('select call_id from steps order by seq')
    .all()
    .map((row) => row.call_id);
}
