import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ servers: { t: fixture('tasks') } });
});
afterAll(() => app?.close());

test('a call shows the status of the task as which its server runs it, message by message, until it has ended', async () => {
  await using directory = await tempDir();
  const path = directory.file('stage');
  const callId = crypto.randomUUID();
  const running = app.post('/api/tools/mcp_t_stages/call', { arguments: { path }, callId });
  await app.goto('/calls');
  const { page } = app;
  await page.getByRole('list', { name: 'Calls' }).getByRole('link', { name: 'stages' }).click();
  const details = page.getByRole('dialog', { name: 'stages', exact: true });
  await details.getByText("Server's task", { exact: true }).waitFor();
  for (const stage of ['first', 'second']) {
    await details.getByText(`The ${stage} stage`).waitFor();
    await writeFile(`${path}-${stage}`, '');
  }
  expect((await running).body.text).toBe('done');
  await details.getByText('Success', { exact: true }).first().waitFor();
  await expectAccessible(page);
});
