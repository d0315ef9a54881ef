import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createSqliteWorkspace } from './kinds.ts';
import { gather, makeCall } from './records.ts';
import { startWriter } from './writer-process.ts';

const names = ['-spool-1', '-spool-2'];

describe('the spool', () => {
  test('the spool has files that are readable by their owner only and that a clean shutdown removes', async () => {
    using workspace = createSqliteWorkspace();
    const storage = await workspace.open();
    await storage.journal.write(makeCall());
    expect(names.map((name) => existsSync(workspace.file + name))).toEqual([true, true]);
    for (const name of names) expect(statSync(workspace.file + name).mode & 0o777).toBe(0o600);
    await storage.close();
    expect(names.map((name) => existsSync(workspace.file + name))).toEqual([false, false]);
    expect(await workspace.sql('select count(*) as calls from calls')).toEqual([{ calls: 1 }]);
  });

  test('the spool creates no files for reads', async () => {
    using workspace = createSqliteWorkspace();
    await using storage = await workspace.open();
    expect(await storage.journal.list()).toEqual([]);
    expect(await gather(storage.audit.verify())).toEqual([]);
    expect(names.map((name) => existsSync(workspace.file + name))).toEqual([false, false]);
  });

  test('the spool records many concurrent calls exactly once', async () => {
    using workspace = createSqliteWorkspace();
    await using storage = await workspace.open();
    const calls = Array.from({ length: 3_000 }, () => makeCall({ result: { text: 'x'.repeat(2_000) } }));
    let reads = 0;
    await Promise.all(
      calls.map(async (call, at) => {
        await storage.journal.write({ ...call, status: 'running' });
        await storage.journal.write(call);
        if (at % 100 > 0) return;
        expect(await storage.journal.get(call.id)).toEqual(call);
        reads++;
      }),
    );
    expect(reads).toBe(30);
    const listed = await storage.journal.list({ limit: 10_000 });
    expect(new Set(listed.map(({ id }) => id)).size).toBe(3_000);
    expect(listed).toHaveLength(3_000);
    expect(listed.every(({ status }) => status === 'success')).toBe(true);
    expect(await gather(storage.audit.verify())).toEqual([]);
  });

  test('the spool recovers the files of a killed process once', async () => {
    using workspace = createSqliteWorkspace();
    await using writer = startWriter({ kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') });
    await writer.waitForLine(/ success$/);
    await writer.kill();
    const left = names.filter((name) => existsSync(workspace.file + name));
    for (const name of left) copyFileSync(workspace.file + name, `${workspace.file}.copy${name}`);
    const count = async () => {
      await using storage = await workspace.open();
      expect(await gather(storage.audit.verify())).toEqual([]);
      return (await storage.journal.list({ limit: 10_000 })).length;
    };
    const found = await count();
    expect(found).toBeGreaterThanOrEqual(new Set(writer.confirmed.keys()).size);
    // The files return, as after restoring a backup.
    for (const name of left) copyFileSync(`${workspace.file}.copy${name}`, workspace.file + name);
    expect(await count()).toBe(found);
  });

  test('the spool ignores files of another database', async () => {
    using workspace = createSqliteWorkspace();
    await using writer = startWriter({ kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') });
    await writer.waitForLine(/ success$/);
    await writer.kill();
    for (const name of ['', '-wal', '-shm']) rmSync(workspace.file + name, { force: true });
    await using storage = await workspace.open();
    expect(await storage.journal.list()).toEqual([]);
  });

  test('the spool recovers the complete records of a damaged file, and the start continues', async () => {
    for (const damage of ['truncated', 'overwritten', 'deleted'] as const) {
      using workspace = createSqliteWorkspace();
      await using writer = startWriter({ kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') });
      await writer.waitForLine(/ success$/);
      await writer.kill();
      for (const name of names.map((end) => workspace.file + end)) {
        if (damage === 'deleted') rmSync(name);
        if (damage === 'truncated') truncateSync(name, 700);
        if (damage === 'overwritten') writeFileSync(name, readFileSync(name).fill('\n{"', 700));
      }
      await using storage = await workspace.open();
      for (const call of await storage.journal.list({ limit: 10_000 })) {
        expect(writer.confirmed.has(call.id)).toBe(true);
        expect(['success', 'error']).toContain(call.status);
      }
      expect(await gather(storage.audit.verify())).toEqual([]);
      await storage.journal.write(makeCall());
    }
  });
});
