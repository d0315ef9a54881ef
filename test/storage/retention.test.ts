import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSql } from '../../packages/gateway/core/storage/sql/open-sql.ts';
import { openSqliteEngine } from '../../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { createSqliteWorkspace } from './kinds.ts';
import { makeCall } from './records.ts';

function pagesOf(file: string): { readonly pages: number; readonly free: number } {
  using database = new DatabaseSync(file, { readOnly: true });
  const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  return { pages: read('page_count'), free: read('freelist_count') };
}

async function open(file: string, key: Buffer) {
  return openSql(await openSqliteEngine(file), { sealer: createSealer(key) });
}

test('the SQLite file shrinks when old calls are removed, while calls are recorded', async () => {
  using workspace = createSqliteWorkspace();
  const { file, key } = workspace;
  const text = 'x'.repeat(20_000);
  {
    await using storage = await open(file, key);
    await Promise.all(Array.from({ length: 300 }, () => storage.journal.write(makeCall({ arguments: { text } }))));
    await storage.audit.ends();
    const before = pagesOf(file);
    const retaining = storage.audit.retain({ maxCalls: 10 });
    await Promise.all(Array.from({ length: 5 }, () => storage.journal.write(makeCall())));
    expect(await retaining).toMatchObject({ calls: expect.any(Number) });
    const after = pagesOf(file);
    expect(before.pages).toBeGreaterThan(1_000);
    expect(after.pages).toBeLessThan(before.pages / 4);
    expect(after.free).toBe(0);
    const findings: unknown[] = [];
    for await (const finding of storage.audit.verify()) findings.push(finding);
    expect(findings).toEqual([]);
  }
  expect((await stat(file)).size).toBeLessThan(2_000_000);
});

test('a file that cannot shrink keeps its free pages and reuses them', async () => {
  using workspace = createSqliteWorkspace();
  const { file, key } = workspace;
  await mkdir(dirname(file), { recursive: true });
  {
    using database = new DatabaseSync(file);
    database.exec('PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = WAL; create table old (id)');
  }
  await using storage = await open(file, key);
  const text = 'x'.repeat(20_000);
  await Promise.all(Array.from({ length: 50 }, () => storage.journal.write(makeCall({ arguments: { text } }))));
  await storage.audit.ends();
  const { pages } = pagesOf(file);
  await storage.audit.retain({ maxCalls: 1 });
  expect(pagesOf(file)).toMatchObject({ pages, free: expect.any(Number) });
  expect(pagesOf(file).free).toBeGreaterThan(100);
});
