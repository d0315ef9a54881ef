import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

const source = { servers: { notes: fixture('legacy') } };
let postgres: TestPostgres;
let workspace: Awaited<ReturnType<typeof createPostgresWorkspace>>;
let app: TestApp;
let other: TestApi;

beforeAll(async () => {
  postgres = await startPostgres();
  workspace = await createPostgresWorkspace(postgres);
  other = await startApi(source, { storage: await workspace.open({ leaseMs: 600_000 }) });
  app = await startApp(source, { storage: await workspace.open({ leaseMs: 600_000 }) });
});

afterAll(async () => {
  await app?.close();
  await other?.close();
  await postgres.stop();
});

test('the search opens the page of the fleet', async () => {
  const { page } = app;
  await app.goto('/');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('fleet');
  await page.getByRole('option', { name: 'Settings: fleet' }).click();
  await page.getByText('2 replicas').waitFor();
});

test('the settings list the replicas with their version, revision and load', async () => {
  const { page } = app;
  await app.goto('/settings');
  await page.getByRole('tab', { name: 'Fleet' }).click();
  const replicas = page.getByRole('list', { name: 'replicas' }).getByRole('listitem');
  await page.getByText('2 replicas').waitFor();
  await replicas.nth(1).waitFor();
  expect(await replicas.filter({ hasText: 'Answered this request' }).count()).toBe(1);
  expect(await replicas.filter({ hasText: 'Revision' }).count()).toBe(2);
  const calling = other.post('/api/tools/mcp_notes_sleep/call', {
    arguments: { ms: 600_000 },
    callId: crypto.randomUUID(),
  });
  await replicas.filter({ hasText: 'Running1' }).waitFor();
  const { body } = await other.get('/api/calls?status=running');
  await other.post(`/api/calls/${body.calls[0].id}/cancel`);
  expect((await calling).status).toBe(499);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});

test('the settings say when replicas use different configuration files', async () => {
  const { page } = app;
  await app.goto('/settings/fleet');
  await page.getByText('2 replicas').waitFor();
  const warning = page.getByText('The replicas use different configuration files.');
  expect(await warning.count()).toBe(0);
  await using _different = await startApi(
    { servers: { notes: fixture('legacy'), more: fixture('legacy') } },
    { storage: await workspace.open({ leaseMs: 600_000 }) },
  );
  await page.getByText('3 replicas').waitFor();
  await warning.waitFor();
  await expectAccessible(page);
});
