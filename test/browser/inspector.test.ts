import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { freePort, startServers, visit } from '../support/oauth.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;

beforeAll(async () => {
  // The authorization server returns to this port.
  const port = await freePort();
  app = await startApp(
    {
      servers: {
        files: fixture('legacy', { TOKEN: 'PLANTED-TOKEN' }),
        modern: fixture('modern'),
        steps: fixture('steps'),
      },
      toolbox: { approval: { mode: 'auto' } },
    },
    { port },
  );
  page = app.page;
  await app.signIn();
});
afterAll(() => app?.close());

const call = (tool: string, args: object) => app.post(`/api/tools/${tool}/call`, { arguments: args });
const messages = (): Locator => page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
const topic = (name: string): Locator => page.getByRole('group', { name: 'Topic' }).getByRole('button', { name });

/** Opens the inspector; messages are recorded from the moment its stream is open. */
async function openInspector(server: string): Promise<void> {
  await app.goto(`/servers/${server}`);
  const opened = page.waitForResponse((response) => response.url().includes('/traffic/events'));
  await page.getByRole('link', { name: 'Inspect' }).click();
  await opened;
}

test('the inspector shows the messages of a server, filters them and opens one', async () => {
  await openInspector('files');
  await page.getByText('No messages yet').waitFor();
  await expectAccessible(page);
  await call('mcp_files_env', { name: 'TOKEN' });
  await call('mcp_files_sleep', { ms: 200 });
  await call('mcp_files_log', { level: 'error', text: 'disk full' });
  await call('mcp_files_fail', {});
  await topic('Logs 1').click();
  await messages().filter({ hasText: 'disk full' }).waitFor();
  expect(await messages().count()).toBe(1);
  await topic('Progress').click();
  await messages().filter({ hasText: 'notifications/progress' }).first().waitFor();
  await topic('Errors 1').click();
  await topic('All').click();
  await page.getByLabel('Text', { exact: true }).fill('"TOKEN"');
  await page.getByLabel('Direction').selectOption('To the server');
  await waitFor(async () => (await messages().count()) === 1);
  await messages().getByRole('button').first().click();
  await messages().getByRole('tree').waitFor();
  await expectAccessible(page);
  expect(await page.content()).not.toContain('PLANTED-TOKEN');
  await messages().getByRole('link', { name: 'Open call' }).click();
  await page.getByRole('dialog', { name: 'env' }).waitFor();
});

test('messages are paused, exported and cleared', async () => {
  await openInspector('files');
  await call('mcp_files_echo', { text: 'before' });
  await messages().filter({ hasText: 'before' }).first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await call('mcp_files_echo', { text: 'after' });
  await page.getByText(/new messages/).waitFor();
  expect(await messages().filter({ hasText: 'after' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await messages().filter({ hasText: 'after' }).first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as JSON lines' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).method)).toContain('tools/call');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('No messages yet').waitFor();
  await page.getByLabel('Keep recording in the background').click();
  await waitFor(async () => (await app.get('/api/servers/files/traffic', { key: app.adminToken })).body.enabled);
});

test.for(['files', 'modern'])('a subscription to a resource of %s shows its updates', async (server) => {
  await app.goto(`/servers/${server}/inspector?tab=resources`);
  await page.getByRole('button', { name: 'Subscribe to memo://one' }).click();
  await page.getByRole('button', { name: 'Unsubscribe from memo://one' }).waitFor();
  await waitFor(async () => {
    await call(`mcp_${server}_touch`, { uri: 'memo://one' });
    return (await page.getByText(/^\d+ updates?,/).count()) > 0;
  });
  await expectAccessible(page);
});

test('the questions of a server and their answers are shown', async () => {
  await openInspector('files');
  const answered = call('mcp_files_ask', { question: 'Which?' });
  const { id } = await waitFor(async () => (await app.get('/api/questions')).body.questions[0]);
  await app.post(`/api/questions/${id}/answer`, { action: 'accept', content: { answer: 'this' } });
  await answered;
  await topic('Server requests 2').click();
  await messages().filter({ hasText: 'elicitation/create' }).first().waitFor();
});

test('a person replies to the sampling request of a call without a model', async () => {
  await app.goto('/tools/mcp_files_sample');
  await page.getByRole('textbox', { name: 'prompt' }).fill('A word for the sea?');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const question = page.getByRole('region', { name: 'Server files asks' });
  await question.getByText('A word for the sea?').waitFor();
  await page.getByRole('link', { name: 'Approvals 1 pending' }).waitFor();
  const send = question.getByRole('button', { name: 'Send reply' });
  expect(await send.isDisabled()).toBe(true);
  await question.getByLabel('Your reply').fill('ocean');
  await expectAccessible(page);
  await send.click();
  await page.getByRole('region', { name: 'Run' }).getByText('ocean').first().waitFor();
});

test('a run whose question was refused, because it could belong to several calls, says why', async () => {
  for (let run = 0; run < 3; run++) {
    await call('mcp_steps_sleep', { ms: 1 });
    await call('mcp_steps_sometimes', { ask: false });
  }
  const slow = randomUUID();
  const running = app.post('/api/tools/mcp_steps_sleep/call', { arguments: { ms: 600_000 }, callId: slow });
  await waitFor(async () => (await app.get(`/api/calls/${slow}`)).body.progress !== undefined);
  await app.goto(`/tools/mcp_steps_sometimes?arguments=${encodeURIComponent('{"ask":true}')}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const run = page.getByRole('region', { name: 'Run' });
  await run.getByText('so it was refused. Call the tool again').waitFor();
  await page.reload();
  await run.getByText('so it was refused. Call the tool again').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await run.getByText('CALL_CANCELLED').waitFor();
  await app.post(`/api/calls/${slow}/cancel`);
  await running;
});

test('each step of an OAuth sign-in is shown, and a person can sign out', async () => {
  const { mcp } = await startServers();
  const key = { key: app.adminToken };
  const authentication = { type: 'oauth' };
  await app.post('/api/servers', { name: 'guarded', transport: 'http', url: mcp, authentication }, key);
  const url = await waitFor(async () => (await app.get('/api/servers/guarded')).body.status.signInUrl as string);
  await app.goto('/servers/guarded/inspector?tab=sign-in');
  await page.getByText('A person has to sign in.').waitFor();
  await page.getByText('Authorization request').first().waitFor();
  await fetch(`${app.url}/api/oauth/callback?${await visit(url)}`);
  await page.getByText('signed in', { exact: true }).waitFor();
  const step = page.getByRole('listitem').filter({ hasText: 'Token request' });
  await step.getByText('Token request').click();
  await step.getByText('[redacted]').first().waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign out of the server' }).click();
  await page.getByText('Not signed in').waitFor();
});

test('the roots of a stored server are set in the inspector', async () => {
  const server = { name: 'notes', transport: 'stdio', ...fixture('legacy') };
  await app.post('/api/servers', server, { key: app.adminToken });
  await app.goto('/servers/notes/inspector?tab=roots');
  await page.getByText('The server gets the roots of the client').waitFor();
  await page.getByRole('textbox', { name: 'Roots' }).fill('notes');
  await page.getByRole('button', { name: 'Save roots' }).click();
  await page.getByText('Must be an absolute path or a file:// URL').waitFor();
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Roots' }).fill('/srv/notes');
  await page.getByRole('button', { name: 'Save roots' }).click();
  await page.getByText('file:///srv/notes').waitFor();
  const { body } = await call('mcp_notes_roots', {});
  expect(body, JSON.stringify(body)).toMatchObject({ text: expect.stringContaining('file:///srv/notes') });
});

test('callers without administrator rights cannot open the inspector', async () => {
  const key = await app.key(['read', 'call']);
  const other = await app.openPage(`/servers/files/inspector#token=${key}`);
  await other.getByText('It needs the permission traffic.read', { exact: false }).waitFor();
});
