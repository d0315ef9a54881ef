import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openTaskClient } from '../support/task-client.ts';
import { waitFor } from '../support/wait-for.ts';

const source = {
  servers: { t: fixture('tasks') },
  profiles: { other: { servers: ['t'] } },
};

test('the result of an MCP task can be fetched after a restart, and a task that the restart interrupted has ended', async () => {
  await using directory = await tempDir();
  const sealer = createSealer(randomBytes(32));
  const open = async () =>
    openTestGateway(source, {
      storage: await openStorage({ kind: 'sqlite', file: directory.file('store.db'), sealer }),
    });
  let ended: unknown;
  let waiting: unknown;
  {
    await using gateway = await open();
    using client = openTaskClient(`${gateway.url}/mcp`);
    const create = async (name: string, args: object) =>
      (await client.send('tools/call', { name: `t__${name}`, arguments: args })).taskId;
    ended = await create('failing_job', {});
    await waitFor(async () => (await client.send('tasks/get', { taskId: ended })).status === 'completed');
    waiting = await create('confirm_delete', { filename: 'a' });
    // The same caller does not find the task through another profile.
    using other = openTaskClient(`${gateway.url}/mcp/other`);
    await expect(other.send('tasks/get', { taskId: ended })).rejects.toThrow('There is no task');
    const [first] = await gateway.toolbox.calls.list();
    expect(first).toMatchObject({ id: waiting, task: { profile: 'default' } });
  }
  await using gateway = await open();
  using client = openTaskClient(`${gateway.url}/mcp`);
  expect(await client.send('tasks/get', { taskId: ended })).toMatchObject({
    status: 'completed',
    result: { isError: true, content: [{ text: 'The job failed' }] },
  });
  const lost = await client.send('tasks/get', { taskId: waiting });
  expect(['completed', 'cancelled']).toContain(lost.status);
});
