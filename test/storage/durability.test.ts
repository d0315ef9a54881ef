import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openSqliteEngine } from '../../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import type { CallRecord } from '../../packages/toolwharf/invocation/call-record.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { createSqliteWorkspace } from './kinds.ts';
import { at, gather, makeApproval, makeCall, makeServer } from './records.ts';
import { startWriter, type WriterProcess } from './writer-process.ts';

const order = ['pending', 'running', 'success', 'error'];

describe('SQLite storage', () => {
  test('SQLite storage retains every confirmed write, regardless of when the process is killed [R6]', async () => {
    using workspace = createSqliteWorkspace();
    let confirmed = 0;
    // Set ROUNDS for more.
    const rounds = Number(process.env.ROUNDS ?? 8);
    for (let round = 0; round < rounds; round++) {
      await using writer = startWriter({ kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') });
      await writer.waitForLine(/ success$/);
      await wait(Math.random() * 100);
      await writer.kill();
      await using storage = await workspace.open();
      await expectConfirmed(storage, writer);
      confirmed += writer.confirmed.size;
    }
    expect(confirmed).toBeGreaterThanOrEqual(rounds);
    await using storage = await workspace.open();
    expect(await gather(storage.audit.verify())).toEqual([]);
  });

  test('calls that a killed process left open are ended: dispatched ones as unknown, others as failed', async () => {
    using workspace = createSqliteWorkspace();
    const options = { kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex'), openCalls: 600 };
    await using writer = startWriter(options);
    await writer.waitForLine(/^done$/);
    await writer.kill();
    await using storage = await workspace.open();
    const ended = await storage.journal.list({ status: 'error', limit: 1_000 });
    const sent = ended.filter(({ id }) => writer.confirmed.get(id) === 'running');
    const unsent = ended.filter(({ id }) => writer.confirmed.get(id) === 'pending');
    expect([sent.length, unsent.length]).toEqual([300, 300]);
    const completedAt = expect.any(String);
    const unknown = { end: 'unknown-outcome', error: { code: 'OUTCOME_UNKNOWN' }, completedAt };
    expect(sent).toMatchObject(Array(300).fill(unknown));
    expect(unsent).toMatchObject(Array(300).fill({ end: 'failed', error: { code: 'TOOLBOX_CLOSED' }, completedAt }));
    expect(await gather(storage.audit.verify())).toEqual([]);
    expect(await storage.audit.recover()).toBe(0);
  });

  test('SQLite storage returns all stored data after it is closed and reopened', async () => {
    using workspace = createSqliteWorkspace();
    const [call, server, approval] = [makeCall(), makeServer(), makeApproval()];
    const rule = { id: 'r', scope: 'server', answer: 'allow', createdAt: at(0) } as const;
    const claim = { caller: 'a', key: 'k', fingerprint: 'f', callId: call.id };
    {
      await using storage = await workspace.open();
      const writing = storage.journal.write(call);
      await storage.servers.put(server);
      await storage.approvals.add(approval);
      await storage.rules.add(rule);
      await storage.journal.claim(claim);
      await storage.journal.claim({ ...claim, key: 'never recorded', callId: 'never recorded' });
      await storage.meta.set('a', 'b');
      await storage.close();
      await writing;
      await expect(storage.journal.write(makeCall())).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' });
      await expect(storage.pins.list()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    }
    await using storage = await workspace.open();
    expect(await storage.journal.get(call.id)).toEqual(call);
    expect(await storage.servers.list()).toMatchObject([server]);
    expect(await storage.approvals.get(approval.id)).toEqual({ request: approval, status: 'pending' });
    expect(await storage.rules.list()).toEqual([rule]);
    expect(await storage.journal.claim({ ...claim, callId: 'other' })).toMatchObject(claim);
    // The call was never made, so it is made when it is repeated.
    expect(await storage.journal.claim({ ...claim, key: 'never recorded', callId: 'other' })).toBeUndefined();
    expect(await storage.meta.get('a')).toBe('b');
  });

  test('SQLite storage cannot be opened by a second process, and the error names the process that has it open', async () => {
    using workspace = createSqliteWorkspace();
    await using writer = startWriter({ kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') });
    await writer.waitForLine(/^open$/);
    await expect(workspace.open()).rejects.toThrow(`${workspace.file} is in use by process ${writer.pid}`);
    await expect(workspace.open()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', data: { pid: writer.pid } });
    await writer.kill();
    await using _first = await workspace.open();
    await expect(workspace.open()).rejects.toThrow(/in use by this process already/);
  });

  test('SQLite storage is readable by its owner only', async () => {
    using workspace = createSqliteWorkspace();
    {
      await using storage = await workspace.open();
      await storage.meta.set('a', 'b');
      for (const name of ['', '-wal', '-shm', '.lock'])
        expect(statSync(workspace.file + name).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(workspace.directory, 'data')).mode & 0o777).toBe(0o700);
  });

  test('SQLite storage flushes commits to the disk', async () => {
    using workspace = createSqliteWorkspace();
    const engine = await openSqliteEngine(workspace.file);
    const read = async (name: string) => (await sql<object>`${sql.raw(`pragma ${name}`)}`.execute(engine.db)).rows;
    expect(await read('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await read('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await read('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await engine.close();
  });

  test('SQLite storage accepts calls while another program locks the database, until the spool is full, and then rejects them until the lock is released', async () => {
    using workspace = createSqliteWorkspace();
    await using storage = await workspace.open();
    const calls = [makeCall(), makeCall({ status: 'running' }), makeCall()];
    const [first, sent, over] = calls as [CallRecord, CallRecord, CallRecord];
    await storage.journal.write(first);
    await storage.journal.get(first.id);
    {
      using other = new DatabaseSync(workspace.file);
      other.exec('begin immediate');
      await storage.journal.write(sent);
      await expect(storage.meta.set('a', 'b')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      // Reads return the call nevertheless. From here on the lock is known.
      expect(await storage.journal.get(sent.id)).toEqual(sent);
      await expect(storage.journal.write(makeCall({ status: 'running' }))).rejects.toMatchObject({
        code: 'JOURNAL_UNAVAILABLE',
        message: expect.stringContaining('locked'),
      });
      await storage.journal.write({ ...sent, status: 'success' });
      await storage.journal.write(over);
      expect((await storage.journal.list()).map(({ id, status }) => [id, status])).toEqual(
        expect.arrayContaining(calls.map(({ id }) => [id, 'success'])),
      );
      await expect(gather(storage.audit.verify())).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      other.exec('rollback');
    }
    await storage.journal.write(makeCall({ status: 'running' }));
    expect(await storage.journal.list({ status: 'success' })).toHaveLength(3);
    expect(await storage.journal.list()).toHaveLength(4);
    expect(await gather(storage.audit.verify())).toEqual([]);
  });

  test('SQLite storage writes a step completely or not at all', async () => {
    using workspace = createSqliteWorkspace();
    await using storage = await workspace.open();
    await storage.journal.write(makeCall());
    await storage.journal.list();
    using other = new DatabaseSync(workspace.file);
    other.exec("create trigger broken before insert on calls begin select raise(abort, 'no space'); end");
    await Promise.all([1, 2, 3].map(() => storage.journal.write(makeCall({ status: 'running' }))));
    expect(await storage.journal.list()).toHaveLength(4);
    expect(other.prepare('select count(*) as steps from steps').get()).toEqual({ steps: 1 });
    await expect(storage.journal.write(makeCall({ status: 'running' }))).rejects.toThrow('no space');
    other.exec('drop trigger broken');
    await storage.journal.write(makeCall());
    expect(await storage.journal.list()).toHaveLength(5);
    expect(await gather(storage.audit.verify())).toEqual([]);
  });

  test('SQLite storage rejects new records on a full disk and loses no confirmed one', async () => {
    using workspace = createSqliteWorkspace();
    const options = { kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') };
    // Files are limited to 800 kB. With the signal ignored, a write beyond that fails like on a full disk.
    await using writer = startWriter(options, { shell: "trap '' XFSZ; ulimit -f 1600;" });
    await writer.waitForLine(/^done$/);
    await writer.kill();
    expect(writer.lines.filter((line) => line.startsWith('failed'))).toEqual(
      Array(8).fill('failed JOURNAL_UNAVAILABLE'),
    );
    await using storage = await workspace.open();
    await expectConfirmed(storage, writer);
  });

  test('SQLite storage that cannot be created on a full disk says so', async () => {
    using workspace = createSqliteWorkspace();
    const options = { kind: 'sqlite', file: workspace.file, key: workspace.key.toString('hex') };
    await using writer = startWriter(options, { shell: "trap '' XFSZ; ulimit -f 200;" });
    await expect(writer.waitForLine(/^open$/)).rejects.toThrow(/database or disk is full|disk I\/O error/);
  });

  test('SQLite storage in an unusable directory fails with the reason', async () => {
    using workspace = createSqliteWorkspace();
    writeFileSync(join(workspace.directory, 'data'), '');
    await expect(workspace.open()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(workspace.open()).rejects.toThrow(workspace.file);
  });

  test('SQLite storage fails to open a file that is not a database, with the reason', async () => {
    using workspace = createSqliteWorkspace();
    {
      await using _storage = await workspace.open();
    }
    writeFileSync(workspace.file, 'not a database '.repeat(1_000));
    await expect(workspace.open()).rejects.toThrow(/could not be opened: file is not a database/);
    // The lock is released.
    await expect(workspace.open()).rejects.toThrow(/file is not a database/);
  });
});

async function expectConfirmed(storage: Storage, writer: WriterProcess): Promise<void> {
  expect(await gather(storage.audit.verify())).toEqual([]);
  for (const [id, status] of writer.confirmed) {
    const call = await storage.journal.get(id);
    expect(order.indexOf(call?.status ?? ''), `${id} ${status}`).toBeGreaterThanOrEqual(order.indexOf(status));
    expect(['success', 'error']).toContain(call?.status);
  }
}
