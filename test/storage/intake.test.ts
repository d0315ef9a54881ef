import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqlitePlace } from './kinds.ts';
import { gather, makeCall } from './records.ts';
import { startWriter } from './writer-process.ts';

const names = ['-intake-1', '-intake-2'];

describe('the files that hold calls before they are in the tables', () => {
  test('intake files are readable by their owner only and removed by a proper close', async () => {
    using place = sqlitePlace();
    const storage = await place.open();
    await storage.journal.write(makeCall());
    expect(names.map((name) => existsSync(place.file + name))).toEqual([true, true]);
    for (const name of names) expect(statSync(place.file + name).mode & 0o777).toBe(0o600);
    await storage.close();
    expect(names.map((name) => existsSync(place.file + name))).toEqual([false, false]);
    expect(await place.sql('select count(*) as calls from calls')).toEqual([{ calls: 1 }]);
  });

  test('reading creates no intake files', async () => {
    using place = sqlitePlace();
    await using storage = await place.open();
    expect(await storage.journal.list()).toEqual([]);
    expect(await gather(storage.audit.verify())).toEqual([]);
    expect(names.map((name) => existsSync(place.file + name))).toEqual([false, false]);
  });

  test('intake files lose nothing and repeat nothing, however many calls run', async () => {
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

  test('intake files of a killed process are read once', async () => {
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

  test('intake files of another database are left alone', async () => {
    using place = sqlitePlace();
    await using writer = startWriter({ kind: 'sqlite', file: place.file, key: place.key.toString('hex') });
    await writer.said(/ success$/);
    await writer.kill();
    for (const name of ['', '-wal', '-shm']) rmSync(place.file + name, { force: true });
    await using storage = await place.open();
    expect(await storage.journal.list()).toEqual([]);
  });

  test('complete records of a damaged intake file are kept, and the start continues', async () => {
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
