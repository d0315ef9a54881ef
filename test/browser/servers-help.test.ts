import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startHttp } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { onServersPage, type ServersPage, textbox } from './support/servers-page.ts';

let app: TestApp;
let page: Page;
let on: ServersPage;

beforeAll(async () => {
  app = await startApp({ servers: {}, gateway: { allowPrograms: true } });
  page = app.page;
  on = onServersPage(page);
});

beforeEach(() => app.goto('/servers'));

afterAll(() => app?.close());

test('a configuration file that is dropped onto the page is imported [R9]', async () => {
  await using remote = await startHttp('sse');
  const config = JSON.stringify({ mcpServers: { dropped: { url: remote.url, type: 'sse' } } });
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(config)}], 'mcp.json', { type: 'application/json' }));
    return transfer;
  })()`);
  await page.getByText('No servers yet').waitFor();
  await page.dispatchEvent('body', 'dragover', { dataTransfer });
  await page.getByText('Drop the configuration file to import its servers').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer });
  const form = on.dialog('Import servers');
  await form.getByRole('button', { name: 'Add 1 server' }).click();
  await form.getByText('Connected', { exact: true }).waitFor();
  await form.getByRole('button', { name: 'Done' }).click();
  await on.row('dropped').waitFor();
});

test('a server that requires a token offers to paste it, and a missing command says how to install it [R9]', async () => {
  await using remote = await startHttp('legacy-http', { REQUIRE_HEADER: 'authorization: Bearer PLANTED-TOKEN' });
  await app.post('/api/servers', { name: 'guarded', transport: 'http', url: remote.url });
  const guarded = page.getByRole('article', { name: 'guarded' });
  await guarded.getByText('requires valid credentials (HTTP 401)').waitFor();
  await guarded.getByRole('button', { name: 'Sign in with OAuth' }).waitFor();
  await expectAccessible(page);
  await guarded.getByLabel('Token').fill('PLANTED-TOKEN');
  await guarded.getByRole('button', { name: 'Save and connect' }).click();
  await guarded.getByText('Connected', { exact: true }).waitFor();
  expect((await app.get('/api/servers/guarded')).body.record.authentication).toEqual({
    type: 'bearer',
    token: { set: true },
  });
  await app.post(
    '/api/servers',
    { name: 'missing', transport: 'stdio', command: 'uvx', env: { PATH: '/nowhere' } },
    { key: app.adminToken },
  );
  const missing = page.getByRole('article', { name: 'missing' });
  await missing.getByText('curl -LsSf https://astral.sh/uv/install.sh').waitFor();
});

test('a form that waits for a slow server can be closed, and the server connects in the background', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByLabel('URL').fill(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`);
  await textbox(form, 'Name').fill('slow');
  await form.getByLabel('Retries').fill('0');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The server is connecting').waitFor();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Close' }).last().click();
  await on.row('slow').getByText('Connecting').first().waitFor();
  await app.goto('/tools');
  silent.closeAllConnections();
  silent.close();
  await page
    .getByText(/Added 'slow'/)
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toBe('/tools');
  await app.goto('/servers');
  await on.remove('slow');
});
