import { fdatasync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSql } from '../../packages/gateway/core/storage/sql/open-sql.ts';
import { openSqliteEngine } from '../../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { createSqliteWorkspace } from './kinds.ts';
import { gather, makeCall } from './records.ts';

test('while the disk fails to sync, calls can end but none is sent, and after it recovers, calls are sent again', async () => {
  using workspace = createSqliteWorkspace();
  let isBroken = false;
  const engine = await openSqliteEngine(workspace.file, (fd, done) => {
    if (isBroken) setImmediate(done, new Error('EIO: i/o error, fdatasync'));
    else fdatasync(fd, done);
  });
  await using storage = await openSql(engine, { sealer: createSealer(workspace.key) });
  const sent = makeCall({ status: 'running' });
  await storage.journal.write(sent);
  isBroken = true;
  for (let round = 0; round < 3; round++) {
    await expect(storage.journal.write(makeCall({ status: 'running' }))).rejects.toMatchObject({
      code: 'JOURNAL_UNAVAILABLE',
      message: expect.stringContaining('EIO'),
    });
  }
  await storage.journal.write({ ...sent, status: 'success' });
  expect(await storage.journal.get(sent.id)).toMatchObject({ status: 'success' });
  isBroken = false;
  const next = makeCall({ status: 'running' });
  await storage.journal.write(next);
  expect(await storage.journal.get(next.id)).toEqual(next);
  expect(await gather(storage.audit.verify())).toEqual([]);
});
