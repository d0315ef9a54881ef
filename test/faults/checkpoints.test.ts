import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  auditKeyFile,
  openAudited,
  readAuditPublicKey,
} from '../../packages/gateway/core/storage/audit/open-audited.ts';
import { journalOf, verifyAnchor } from '../../packages/gateway/core/storage/audit/verify-anchor.ts';
import { createSqliteWorkspace, type SqliteWorkspace } from '../storage/kinds.ts';
import { gather, insertRecord, makeCall, writeSteps } from '../storage/records.ts';
import { collectLog } from '../support/fixtures.ts';

const place = (workspace: SqliteWorkspace) => join(workspace.directory, 'second', 'checkpoints.jsonl');

/** Records a call and writes a checkpoint, as a gateway does that runs for a while. */
async function run(workspace: SqliteWorkspace, tool: string) {
  const { log, entries } = collectLog();
  await using storage = await openAudited(
    await workspace.open(),
    { dataDir: workspace.directory, checkpoints: place(workspace) },
    log,
  );
  await writeSteps(storage.journal, [makeCall({ tool })]);
  await storage.close();
  return entries.filter(({ event }) => event === 'audit.checkpoint-failed');
}

async function verify(workspace: SqliteWorkspace) {
  await using storage = await workspace.open();
  const publicKey = await readAuditPublicKey(auditKeyFile({ dataDir: workspace.directory }));
  return await gather(verifyAnchor(journalOf(storage), place(workspace), publicKey));
}

test('a second place that cannot be written is reported, the gateway continues, and later checkpoints are written there', async () => {
  using workspace = createSqliteWorkspace();
  await mkdir(place(workspace), { recursive: true });
  const failures = await run(workspace, 'a');
  expect(failures.length).toBeGreaterThan(0);
  expect(failures[0]).toMatchObject({ level: 'error', message: expect.stringContaining(place(workspace)) });
  await rm(place(workspace), { recursive: true });
  expect(await run(workspace, 'b')).toEqual([]);
  expect(await verify(workspace)).toEqual([]);
});

test('a checkpoint that was cut in half is skipped, and the next one is complete', async () => {
  using workspace = createSqliteWorkspace();
  await run(workspace, 'a');
  const { length } = await readFile(place(workspace));
  await truncate(place(workspace), length - 20);
  await run(workspace, 'b');
  expect(await verify(workspace)).toEqual([]);
  await workspace.sql("delete from records where kind = 'rules'");
  await workspace.sql(insertRecord('rules', '{"id":"evil"}'));
  expect(await verify(workspace)).toMatchObject([{ detail: 'rule/evil was inserted without a signed act' }]);
});

test('a line that is complete but not signed with the audit key is still reported', async () => {
  using workspace = createSqliteWorkspace();
  await run(workspace, 'a');
  await appendFile(place(workspace), '{"head":{"seq":9,"hash":"x"}}\n');
  expect(await verify(workspace)).toMatchObject([{ detail: expect.stringContaining('is no checkpoint signed') }]);
});
