import { expect, test, vi } from 'vitest';
import { sqlitePlace } from './kinds.ts';
import { gather, makeCall } from './records.ts';

// No disk fails on demand: this one says so when it is told to.
const disk = vi.hoisted(() => ({ fails: false }));
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const fdatasync: typeof fs.fdatasync = Object.assign(
    (fd: number, done: (cause: NodeJS.ErrnoException | null) => void) => {
      if (disk.fails) setImmediate(done, new Error('EIO: i/o error, fdatasync'));
      else fs.fdatasync(fd, done);
    },
    { __promisify__: fs.fdatasync.__promisify__ },
  );
  return { ...fs, default: { ...fs, fdatasync }, fdatasync };
});

test('a disk that fails to sync stops calls from being sent, not from ending, and is used again when it works', async () => {
  using place = sqlitePlace();
  await using storage = await place.open();
  const sent = makeCall({ status: 'running' });
  await storage.journal.write(sent);
  disk.fails = true;
  for (let round = 0; round < 3; round++) {
    await expect(storage.journal.write(makeCall({ status: 'running' }))).rejects.toMatchObject({
      code: 'JOURNAL_UNAVAILABLE',
      message: expect.stringContaining('EIO'),
    });
  }
  await storage.journal.write({ ...sent, status: 'success' });
  expect(await storage.journal.get(sent.id)).toMatchObject({ status: 'success' });
  disk.fails = false;
  const next = makeCall({ status: 'running' });
  await storage.journal.write(next);
  expect(await storage.journal.get(next.id)).toEqual(next);
  expect(await gather(storage.audit.verify())).toEqual([]);
});
