import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqlitePlace } from './kinds.ts';
import { gather, makeCall } from './records.ts';
import { startWriter } from './writer-process.ts';

const names = ['-spool-1', '-spool-2'];

describe('the spool', () => {
  test('spool files are readable by their owner only and removed by a clean shutdown', async () => {
    using place = sqlitePlace();
    const storage = await place.open();
    await storage.journal.write(makeCall());
    expect(names.map((name) => existsSync(place.file + name))).toEqual([true, true]);
    for (const name of names) expect(statSync(place.file + name).mode & 0o777).toBe(0o600);
    await storage.close();
    expect(names.map((name) => existsSync(place.file + name))).toEqual([false, false]);
    expect(await place.sql('select count(*) as calls from calls')).toEqual([{ calls: 1 }]);
  });

  test('reading creates no spool files', async () => {
    using place = sqlitePlace();
    await using storage = await place.open();
    expect(await storage.journal.list()).toEqual([]);
    expect(await gather(storage.audit.verify())).toEqual([]);
    expect(names.map((name) => existsSync(place.file + name))).toEqual([false, false]);
  });

  test('many concurrent calls are recorded once each through the spool', async () => {
    using place = sqlitePlace();
    await using storage = await place.open();
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

  test('spool files of a killed process are recovered once', async () => {
    using place = sqlitePlace();
    await using writer = startWriter({ kind: 'sqlite', file: place.file, key: place.key.toString('hex') });
    await writer.said(/ success$/);
    await writer.kill();
    const left = names.filter((name) => existsSync(place.file + name));
    for (const name of left) copyFileSync(place.file + name, `${place.file}.copy${name}`);
    const count = async () => {
      await using storage = await place.open();
      expect(await gather(storage.audit.verify())).toEqual([]);
      return (await storage.journal.list({ limit: 10_000 })).length;
    };
    const found = await count();
    expect(found).toBeGreaterThanOrEqual(new Set(writer.confirmed.keys()).size);
    // Somebody puts them back, as a backup may.
    for (const name of left) copyFileSync(`${place.file}.copy${name}`, place.file + name);
    expect(await count()).toBe(found);
  });

  test('spool files of another database are ignored', async () => {
    using place = sqlitePlace();
    await using writer = startWriter({ kind: 'sqlite', file: place.file, key: place.key.toString('hex') });
    await writer.said(/ success$/);
    await writer.kill();
    for (const name of ['', '-wal', '-shm']) rmSync(place.file + name, { force: true });
    await using storage = await place.open();
    expect(await storage.journal.list()).toEqual([]);
  });

  test('complete records of a damaged spool file are recovered, and the start continues', async () => {
    for (const damage of ['cut', 'noise', 'gone'] as const) {
      using place = sqlitePlace();
      await using writer = startWriter({ kind: 'sqlite', file: place.file, key: place.key.toString('hex') });
      await writer.said(/ success$/);
      await writer.kill();
      for (const name of names.map((end) => place.file + end)) {
        if (damage === 'gone') rmSync(name);
        if (damage === 'cut') truncateSync(name, 700);
        if (damage === 'noise') writeFileSync(name, readFileSync(name).fill('\n{"', 700));
      }
      await using storage = await place.open();
      for (const call of await storage.journal.list({ limit: 10_000 })) {
        expect(writer.confirmed.has(call.id)).toBe(true);
        expect(['success', 'error']).toContain(call.status);
      }
      expect(await gather(storage.audit.verify())).toEqual([]);
      await storage.journal.write(makeCall());
    }
  });
});
