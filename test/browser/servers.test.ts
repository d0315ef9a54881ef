import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { startServers } from '../support/oauth.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { onServersPage, type ServersPage, textbox } from './support/servers-page.ts';

const hostileName = '<b onmouseover=alert(1)>100% / ..\u202ex?</b>';
const adminSettings = { gateway: { allowPrograms: true } };

let directory: Awaited<ReturnType<typeof tempDir>>;
let app: TestApp;
let page: Page;
let on: ServersPage;

beforeAll(async () => {
  directory = await tempDir();
  await writeConfig({});
  app = await startApp(directory.file('toolwharf.json'), { watch: true, port: await freePort() });
  page = app.page;
  on = onServersPage(page);
});

beforeEach(() => app.goto('/servers'));

afterAll(async () => {
  await app?.close();
  await directory?.[Symbol.asyncDispose]();
});

test('the empty page offers to add or import a server [R9]', async () => {
  await page.getByText('No servers yet').waitFor();
  await page.getByRole('button', { name: 'Import from another client' }).click();
  await on.dialog('Import servers').getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('button', { name: 'Add a server' }).click();
  await on.dialog('Add server').waitFor();
  await page.keyboard.press('Escape');
  await on.dialog('Add server').waitFor({ state: 'hidden' });
});

test('a server is added by its URL after a connection test [R9, R10]', async () => {
  await using remote = await startHttp('modern-http');
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByLabel('URL').fill(remote.url);
  await form.getByRole('radio', { name: 'HTTP', exact: true }).check();
  await form.getByRole('button', { name: 'Test connection' }).click();

  const found = form.getByRole('region', { name: 'Connection test' });
  await found.getByText('Connection succeeded', { exact: true }).waitFor();
  for (const text of ['Streamable HTTP, 2026-07-28 (modern)', 'modern-http 1.0.0', 'Discovered 20 tools'])
    await found.getByText(text).waitFor();
  const tools = found.getByRole('list', { name: 'Discovered tools' });
  expect(await tools.getByRole('listitem').count()).toBe(20);
  await tools.getByText('Returns the text it was given').waitFor();
  expect((await app.get('/api/servers')).body.servers).toEqual([]);
  await expectAccessible(page);

  await textbox(form, 'Name').fill('far');
  await form.getByLabel('Description').fill('A remote one');
  await form.getByRole('button', { name: 'Save' }).click();
  const added = on.row('far');
  for (const text of ['Connected', 'A remote one', '2026-07-28 (modern)', '20 tools'])
    await added.getByText(text).first().waitFor();
  await form.waitFor({ state: 'hidden' });
  await expectAccessible(page);
  await on.remove('far');
});

test('the form is filled in from pasted text, and text with several servers opens the import', async () => {
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  const paste = form.getByLabel('Paste from a README');
  await paste.fill('claude mcp add tracker -e KEY=k -- npx -y tracker-mcp --fast');
  await form.getByRole('button', { name: 'Fill in the form' }).click();
  await form.getByText('Understood: stdio npx -y tracker-mcp --fast, 1 environment variable').waitFor();
  expect(await textbox(form, 'Name').inputValue()).toBe('tracker');
  expect(await textbox(form, 'Command').inputValue()).toBe('npx');
  expect(await form.getByRole('radio', { name: 'Local (stdio)' }).isChecked()).toBe(true);
  await expectAccessible(page);
  await paste.fill('a sentence, no server');
  await form.getByRole('button', { name: 'Fill in the form' }).click();
  await form.getByText('No server found').waitFor();
  expect(await textbox(form, 'Name').inputValue()).toBe('tracker');
  await paste.fill('uvx mcp-server-git\nuvx mcp-server-time');
  await form.getByRole('button', { name: 'Fill in the form' }).click();
  const found = on.dialog('Import servers').getByRole('region', { name: 'Servers found' });
  for (const name of ['git', 'time']) await found.getByRole('checkbox', { name }).waitFor();
  await on.dialog('Import servers').getByRole('button', { name: 'Close' }).first().click();
});

test('problems are shown at their fields, and closing the form needs confirmation [R10]', async () => {
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByLabel('URL').fill('http://tools.example.com/mcp');
  await form.getByLabel('Timeout').fill('soon');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => on.errorOf(form.getByLabel('Timeout'))).toContain('Write 30s');
  await form.getByLabel('Timeout').fill('1000');
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect.poll(() => on.errorOf(form.getByLabel('URL'))).toContain('Plain http to another machine');
  expect(await on.errorOf(form.getByLabel('Timeout'))).toBe('');
  await form.getByRole('button', { name: 'Add header' }).click();
  await page.keyboard.type('not a name');
  await textbox(form, 'Value of header 1').fill('x');
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect.poll(() => on.errorOf(form.getByLabel('Name of header 1'))).not.toBe('');

  await page.keyboard.press('Escape');
  const ask = on.dialog('Close without saving?');
  await ask.getByRole('button', { name: 'Cancel' }).click();
  expect(await form.getByLabel('Name of header 1').inputValue()).toBe('not a name');
  await page.keyboard.press('Escape');
  await ask.getByRole('button', { name: 'Discard' }).click();
  await ask.waitFor({ state: 'hidden' });
});

test('a connection test can be cancelled, and a failed test shows the reason [R10]', async () => {
  let asked = 0;
  const silent = createServer(() => {
    asked += 1;
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByLabel('URL').fill(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`);
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect.poll(() => asked).toBeGreaterThan(0);
  await form.getByRole('button', { name: 'Cancel test' }).click();
  await form.getByText('Press Test connection').waitFor();
  silent.closeAllConnections();
  silent.close();

  await form.getByLabel('Retries').fill('0');
  await form.getByRole('button', { name: 'Test connection' }).click();
  await form.getByText('Connection failed', { exact: true }).waitFor();
  await form.getByRole('list', { name: 'Problems' }).getByText('SERVER_UNREACHABLE').waitFor();

  await form.getByRole('button', { name: 'Save' }).click();
  const broken = page.getByRole('article').filter({ hasText: 'Error' });
  await broken.getByText('ECONNREFUSED').waitFor();
  await broken.getByText(/Next attempt in|Retrying …/).waitFor();
});

test('editing a broken server reconnects it at once [R9, R10]', async () => {
  await using remote = await startHttp('legacy-http', { REQUIRE_HEADER: 'x-team-key: PLANTED-KEY' });
  const name = (await page.getByRole('article').getAttribute('aria-label')) as string;
  await on.menu(name, 'Edit');
  const form = on.dialog(`Edit ${name}`);
  await form.getByLabel('URL').fill(remote.url);
  await form.getByLabel('Authentication').selectOption('API key header');
  await textbox(form, 'Key').fill('PLANTED-KEY');
  await textbox(form, 'Header').fill('x-team-key');
  await textbox(form, 'Name').fill('guarded');
  await form.getByRole('button', { name: 'Save' }).click();
  await on.row('guarded').getByText('Connected', { exact: true }).waitFor();

  await on.menu('guarded', 'Edit');
  const again = on.dialog('Edit guarded');
  expect(await textbox(again, 'Key').inputValue()).toContain('stored');
  await again.getByLabel('Description').fill('Still works');
  await again.getByRole('button', { name: 'Test connection' }).click();
  await again.getByText('Connection succeeded', { exact: true }).waitFor();
  await again.getByRole('button', { name: 'Save' }).click();
  await on.row('guarded').getByText('Still works').waitFor();
  await on.row('guarded').getByText('Connected', { exact: true }).waitFor();

  await on.menu('guarded', 'Edit');
  await again.getByRole('button', { name: 'Replace key' }).click();
  await textbox(again, 'Key').fill('wrong');
  await again.getByRole('button', { name: 'Test connection' }).click();
  await again.getByText('Connection failed', { exact: true }).waitFor();
  await again.getByRole('button', { name: 'Keep stored key' }).click();
  await again.getByLabel('URL').fill('https://elsewhere.example.com/mcp');
  await again.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => on.errorOf(textbox(again, 'Key'))).toContain('Must be sent again');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expectNoSecret();

  await on.row('guarded').getByRole('switch', { name: 'Enabled: guarded' }).click();
  await on.row('guarded').getByText('Disabled').waitFor();
  await on.row('guarded').getByRole('switch', { name: 'Enabled: guarded' }).click();
  await on.row('guarded').getByText('Connected', { exact: true }).waitFor();
  await on.menu('guarded', 'Disconnect');
  await on.row('guarded').getByText('Disconnected', { exact: true }).waitFor();
  await on.menu('guarded', 'Connect');
  await on.row('guarded').getByText('Connected', { exact: true }).waitFor();
  await on.menu('guarded', 'Refresh tools');
  await page.getByText("The tools of 'guarded' are refreshed").first().waitFor();
  await on.remove('guarded');
});

test('adding a local server needs the admin token [R9, R10, R22]', async () => {
  const program = fixture('legacy', { API_TOKEN: 'PLANTED-ENV' });
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByRole('radio', { name: 'Local (stdio)' }).check();
  await form.getByText('Sign in with the admin token').waitFor();
  await form.getByLabel('Command').fill(`${program.command} "${program.args[0]}"`);
  expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  expect(await form.getByRole('button', { name: 'Test connection' }).isDisabled()).toBe(true);

  await form.getByRole('button', { name: 'Sign in' }).click();
  await on.dialog('Sign in').getByLabel('API key or admin token').fill(app.adminToken);
  await on.dialog('Sign in').getByRole('button', { name: 'Sign in' }).click();
  await form.getByText('The gateway runs the command on its machine').waitFor();
  await form.getByRole('button', { name: 'Split into arguments' }).click();
  expect(await form.getByLabel('Command').inputValue()).toBe(program.command);
  expect(await textbox(form, 'Argument 1').inputValue()).toBe(program.args[0]);
  expect(await textbox(form, 'Name').inputValue()).toBe('legacy');
  await form.getByRole('button', { name: 'Add variable' }).click();
  await page.keyboard.type('API_TOKEN');
  await form.getByLabel('Value of variable 1').fill('PLANTED-ENV');
  await form.getByRole('button', { name: 'Test connection' }).click();
  await form.getByText('Connection succeeded', { exact: true }).waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
  await on.row('legacy').getByText('Connected', { exact: true }).waitFor();

  await on.row('legacy').getByRole('link', { name: 'legacy' }).click();
  const panel = on.dialog('legacy');
  await panel.getByText('Process id').waitFor();
  await panel.getByText('A fixture.').waitFor();
  await panel.getByRole('tab', { name: /^Tools/ }).click();
  await panel.getByRole('link', { name: 'echo', exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Edit' }).click();
  const edit = on.dialog('Edit legacy');
  expect(await edit.getByLabel('Value of variable 1').inputValue()).toContain('stored');
  await edit.getByRole('button', { name: 'Cancel' }).click();
  await expectNoSecret();
});

test('servers of the configuration file follow its changes, show their failures and are read-only [R9]', async () => {
  await writeConfig({
    broken: fixture('crash-on-start'),
    changing: fixture('changing'),
    malformed: fixture('malformed-tool'),
  });
  const broken = on.row('broken');
  await broken.getByText('Last output: fixture: the configuration file is missing').waitFor();
  await on.row('malformed').getByText('5 tools left out').waitFor();
  await broken.getByRole('button', { name: 'Actions for broken' }).click();
  expect(await page.getByRole('menuitem').allTextContents()).not.toContain('Remove');
  await page.keyboard.press('Escape');

  await broken.getByRole('link', { name: 'broken' }).click();
  const panel = on.dialog('broken');
  await panel.getByText('Defined in the configuration file').waitFor();
  await panel
    .getByText(/failed attempt/)
    .first()
    .waitFor();
  await panel.getByRole('tab', { name: 'Error output' }).click();
  const output = panel.getByRole('region', { name: 'Error output' });
  const before = (await output.innerText()).length;
  // The gateway restarts the server, which writes the line again.
  await expect.poll(async () => (await output.innerText()).length).toBeGreaterThan(before);
  await panel.getByRole('button', { name: 'Copy error output' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('configuration file is missing');

  await app.goto('/servers/malformed');
  await on.dialog('malformed').getByRole('list', { name: 'Left out' }).getByRole('listitem').first().waitFor();
  await app.goto('/servers/nobody');
  await page.getByText("No server named 'nobody'").waitFor();
});

test('a changed tool is shown with its difference and rejected or accepted [R9]', async () => {
  await app.post('/api/tools/mcp_changing_mutate/call', { arguments: {} });
  await on.row('changing').getByRole('link', { name: '1 changed or new tool' }).click();
  const changed = on.dialog('changing').getByRole('region', { name: 'target' });
  await changed.getByText('Target, version 2').waitFor();
  await expectAccessible(page);
  await changed.getByRole('button', { name: 'Reject change' }).click();
  await changed.getByText('Rejected', { exact: true }).waitFor();
  const denied = await app.post('/api/tools/mcp_changing_target/call', { arguments: { a: 'x', b: 'y' } });
  expect(denied.status).toBe(403);
  await changed.getByRole('button', { name: 'Accept change' }).click();
  await on.dialog('changing').getByText('No changed or new tools.').waitFor();
  const allowed = await app.post('/api/tools/mcp_changing_target/call', { arguments: { a: 'x', b: 'y' } });
  expect(allowed.status).toBe(200);
});

test('servers are imported from the configuration of another client [R9]', async () => {
  await using remote = await startHttp('sse');
  await page.getByRole('button', { name: 'Import' }).click();
  const form = on.dialog('Import servers');
  await form.getByLabel('Configuration').fill('{"mcpServers": ');
  await form.getByRole('button', { name: 'Find servers' }).click();
  await form.getByText('No servers found').waitFor();
  await form.getByLabel('Configuration').fill(
    JSON.stringify({
      mcpServers: {
        pasted: { url: remote.url, type: 'sse' },
        program: { command: process.execPath, args: fixture('no-tools').args, env: { KEY: '${SECRET}' } },
        unwanted: { url: remote.url },
        changing: { url: remote.url },
        nothing: {},
      },
    }),
  );
  await form.getByRole('button', { name: 'Find servers' }).click();
  const list = form.getByRole('region', { name: 'Servers found' });
  await list.getByText('A server with this name exists.').waitFor();
  await form.getByText("server 'nothing' needs").waitFor();
  await list.getByRole('checkbox', { name: 'unwanted' }).uncheck();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Add 2 servers' }).click();
  await list.getByText('work in the configuration file only').waitFor();
  await list.getByText('Connected', { exact: true }).waitFor();

  await list.getByRole('button', { name: 'Review' }).first().click();
  const review = on.dialog('Add server');
  expect(await textbox(review, 'Name').inputValue()).toBe('program');
  await review.getByLabel('Value of variable 1').fill('itself');
  await review.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => list.getByText('Connected', { exact: true }).count()).toBe(2);
  await form.getByRole('button', { name: 'Close' }).last().click();
  await on.row('pasted').waitFor();
  await on.row('program').waitFor();
  expect(await on.row('unwanted').count()).toBe(0);
});

test('a person signs in to an OAuth server, and the list shows it connected [R3, R9]', async () => {
  const { mcp, issuer } = await startServers();
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByLabel('URL').fill(mcp);
  await form.getByLabel('Authentication').selectOption('OAuth');
  await textbox(form, 'Name').fill('guarded');
  await form.getByRole('button', { name: 'Save' }).click();
  await on.row('guarded').getByText('Sign-in needed').waitFor();
  const link = on.row('guarded').getByRole('link', { name: `Sign in at ${new URL(issuer).host}` });
  const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await opened.getByText('guarded is connected').waitFor();
  await opened.close();
  await on.row('guarded').getByText('Connected', { exact: true }).waitFor();
  await on.remove('guarded');
});

test('hostile text of a server is shown as plain text, and thousands of tools are virtualized [R18]', async () => {
  await writeConfig({
    [hostileName]: { ...fixture('hostile-words'), description: '<script>document.title="owned"</script>\u202e' },
    many: fixture('legacy', { TOOLS: '3000' }),
  });
  const shown = '<b onmouseover=alert(1)>100% / ..⟨U+202E⟩x?</b>';
  await on.row('broken').waitFor({ state: 'hidden' });
  await on.row(shown).getByText('Connected', { exact: true }).waitFor();
  await on.row(shown).getByText('<script>document.title="owned"</script>⟨U+202E⟩').waitFor();
  await on.row(shown).getByRole('link', { name: shown }).click();
  const panel = on.dialog(shown);
  await panel.getByRole('group', { name: 'Instructions' }).getByText('⟨U+001B⟩[31mred').first().waitFor();
  await panel.getByText('a⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+E0041⟩').first().waitFor();
  expect(await panel.getByRole('link').allTextContents()).toEqual(['Inspect', '2']);
  await panel.getByRole('tab', { name: 'Error output' }).click();
  await panel.getByRole('region', { name: 'Error output' }).getByText('onerror=').waitFor();
  await page.reload();
  await panel.waitFor();
  await expectNoSidewaysScroll();
  expect(await page.title()).toBe('Servers · Toolwharf');

  await app.goto('/servers/many?tab=tools');
  const tools = on.dialog('many').getByRole('list', { name: 'Tools' });
  await tools.getByRole('link', { name: 'tool_0001' }).waitFor();
  expect(await tools.getByRole('listitem').count()).toBeLessThan(100);
});

test('a key with the right “read” shows the servers without actions', async () => {
  const key = await app.key(['read']);
  const other = await app.openPage(`/servers#token=${key}`);
  const article = other.getByRole('article').first();
  await article.waitFor();
  expect(await other.getByRole('button', { name: 'Add server' }).count()).toBe(0);
  expect(await article.getByRole('button').count()).toBe(0);
});

async function writeConfig(servers: object): Promise<void> {
  await writeFile(directory.file('toolwharf.json'), JSON.stringify({ servers, ...adminSettings }));
}

/** Expects that neither the page nor any response contains a secret. */
async function expectNoSecret(): Promise<void> {
  await app.get('/api/servers');
  expect(app.answers.join() + (await page.content())).not.toContain('PLANTED');
}

async function expectNoSidewaysScroll(): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('many servers fill the page, working ones first, and are filtered by status and changed together', async () => {
  const off = Array.from({ length: 8 }, (_, index) => [`a-${index}`, { ...fixture('legacy'), enabled: false }]);
  await using many = await startApp({
    servers: { ...Object.fromEntries(off), dead: { command: '/no/such/program' }, working: fixture('legacy') },
  });
  const { page } = many;
  await many.signIn();
  await many.goto('/servers');
  const rows = page.getByRole('list', { name: 'Servers' }).getByRole('article');
  await rows.first().getByText('Connected', { exact: true }).waitFor();
  expect(await rows.first().getAttribute('aria-label')).toBe('working');
  expect(await page.locator('section[aria-label="Servers"]').count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Not connected (1)');
  await waitFor(async () => (await rows.count()) === 1, { what: 'the server that is not connected' });
  expect(await rows.getAttribute('aria-label')).toBe('dead');
  // The address has the filter.
  await page.reload();
  await waitFor(async () => (await rows.count()) === 1, { what: 'the same list' });
  await page.getByRole('combobox', { name: 'Status' }).selectOption('All (10)');
  await page.getByRole('button', { name: 'Actions for 10 servers' }).click();
  await page.getByRole('menuitem', { name: 'Disconnect 1 server' }).click();
  await page.getByText('1 server disconnected.', { exact: true }).first().waitFor();
  expect((await many.get('/api/servers/working', { key: many.adminToken })).body.status.state).toBe('disconnected');
});
