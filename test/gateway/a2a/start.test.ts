import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Task, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { connectAgent, outcomeOf, toCall } from '../../support/a2a.ts';
import { startApi } from '../../support/api.ts';
import { fixture, tempDir } from '../../support/fixtures.ts';

test('a message that another process has answered returns the same result without a second call [B11]', async () => {
  await using directory = await tempDir();
  const storage = await openStorage({ kind: 'memory' });
  const config = { servers: { files: fixture('legacy') } };
  await using first = await startApi(config, { storage });
  await using second = await startApi(config, { storage });
  const file = directory.file('lines');
  const message = toCall('files__write', { path: file, text: 'once' }, { messageId: randomUUID() });
  const before = (await (await connectAgent(first.url)).sendMessage(message)) as Task;
  const after = (await (await connectAgent(second.url)).sendMessage(message)) as Task;
  expect(outcomeOf(after)).toEqual(outcomeOf(before));
  expect(after.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(after.metadata).toEqual({ 'toolwharf/call': before.id });
  expect(await readFile(file, 'utf8')).toBe('once\n');
});

test('a gateway loads its A2A code on the first A2A request [B11]', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) });
    await import(${JSON.stringify(new URL('../../../packages/gateway/core/gateway.ts', import.meta.url).href)});
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const loaded: string[] = JSON.parse(stdout);
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((name) => name.includes('a2a-js') || name.includes('bridges/a2a'))).toEqual([]);
});
