import { writeFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formFields } from '../../packages/contract/form-fields.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let directory: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  directory = await tempDir();
  const config = {
    servers: { notes: fixture('legacy'), other: fixture('legacy') },
    profiles: {
      reading: { servers: ['notes'], allow: ['notes/echo', 'notes/add'], deny: ['notes/write'] },
      asking: { servers: ['notes'], allow: ['notes/ask', 'notes/sample'] },
    },
  };
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  app = await startApp(directory.file('toolwharf.json'), { env: { PATH: process.env.PATH } });
});
afterAll(async () => {
  await app.close();
  await directory[Symbol.asyncDispose]();
});

const card = (name: string): Locator => app.page.getByRole('region', { name, exact: true });

test('profiles of the file are shown read-only with their tools and their URL', async () => {
  const { page } = app;
  await app.load('/profiles');
  await card('reading').getByText(`${app.url}/mcp/reading`).waitFor();
  await card('reading').getByText('notes/echo').waitFor();
  await card('reading').getByText('Configuration file').waitFor();
  await expectAccessible(page);
  await card('reading').getByRole('link', { name: 'View' }).click();
  await page.getByText('can only be changed there', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Not allowed');
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByText('a profile name must have 1 to 40', { exact: false }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('copied');
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByText('All changes saved').waitFor();
  expect((await app.get('/api/profiles/copied')).body).toMatchObject({ source: 'store', servers: ['notes'] });
});

test('a profile that exposes its tools by search shows the list of its clients', async () => {
  const { page } = app;
  await app.load('/profiles');
  await page.getByRole('link', { name: 'New profile' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('finders');
  await page.getByText('Clients list all tools', { exact: false }).waitFor();
  await page.getByRole('combobox', { name: 'Clients list' }).selectOption('auto');
  await page.getByRole('textbox', { name: 'Longest list in tokens' }).fill('20');
  await page.getByRole('textbox', { name: 'Always listed' }).fill('notes/echo');
  await page.getByText('Clients list the tools for searching', { exact: false }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByText('All changes saved').waitFor();
  expect((await app.get('/api/profiles/finders')).body).toMatchObject({
    settings: { expose: 'auto', exposeBudget: 20, alwaysList: ['notes/echo'] },
    exposure: { exposed: 'search' },
  });
  await using client = await connectMcp(`${app.url}/mcp/finders`, 'modern');
  const { tools } = await client.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'search_tools',
    'describe_tools',
    'call_tool',
    'read_result',
    'notes__echo',
  ]);
});

test('a profile is created and edited, and its clients see the chosen tools', async () => {
  const { page } = app;
  await app.load('/profiles');
  await page.getByRole('link', { name: 'New profile' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('writers');
  await page.getByRole('textbox', { name: 'Description' }).fill('For people who write');
  await page.getByLabel('All servers, also those that are added later').click();
  await page.getByRole('checkbox', { name: 'other' }).click();
  await page.getByRole('button', { name: /tools on notes/ }).click();
  await page.getByRole('button', { name: 'Disable all' }).click();
  await page.getByRole('switch', { name: 'echo' }).click();
  await page.getByRole('combobox', { name: 'Resources', exact: true }).selectOption('some');
  await page.getByRole('textbox', { name: 'Resources: patterns' }).fill('memo://one');
  await page.getByRole('combobox', { name: 'Prompts', exact: true }).selectOption('none');
  await page.getByRole('combobox', { name: 'Approval mode' }).selectOption('always-ask');
  await page.getByText('1 tool for clients', { exact: false }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByText('All changes saved').waitFor();
  await using client = await connectMcp(`${app.url}/mcp/writers`, 'modern');
  expect((await client.client.listTools()).tools.map(({ name }) => name)).toEqual(['notes__echo']);
  expect((await client.client.listResources()).resources.map(({ name }) => name)).toEqual(['one']);
  expect((await client.client.listPrompts()).prompts).toEqual([]);

  await page.getByRole('button', { name: /tools on notes/ }).click();
  await page.getByRole('switch', { name: 'add', exact: true }).click();
  await page.getByText('2 tools for clients', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('All changes saved').waitFor();
  expect((await client.client.listTools()).tools.map(({ name }) => name)).toEqual(['notes__echo', 'notes__add']);
});

test('a preset fills in the settings of a new profile, which says what its clients would see', async () => {
  const { page } = app;
  await app.goto('/profiles/new');
  await page.getByRole('radio', { name: /^Read-only/ }).check();
  await page.getByText(/^\d+ tools? for clients, about/).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('readers');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create profile' }).click();
  await page.getByText('All changes saved').waitFor();
  const { profiles } = (await app.get('/api/profiles', { key: app.adminToken })).body;
  const { allow } = profiles.find(({ name }: { name: string }) => name === 'readers');
  const { tools } = (await app.get('/api/tools', { key: app.adminToken })).body;
  const reading = tools.filter((tool: { annotations?: { readOnlyHint?: boolean } }) => tool.annotations?.readOnlyHint);
  expect(allow.toSorted()).toEqual(
    reading.map(({ server, originalName }: Record<string, string>) => `${server}/${originalName}`).sort(),
  );
  expect(allow.length).toBeGreaterThan(0);
  await app.delete('/api/profiles/readers', { key: app.adminToken });
});

test('the playground sends the requests of a client of the profile, with its approval policy', async () => {
  const { page } = app;
  await app.goto('/profiles/writers');
  await page.getByRole('link', { name: 'Try' }).click();
  await page.getByRole('heading', { name: 'Try writers' }).waitFor();
  await page.getByRole('button', { name: /notes__echo/ }).click();
  await page.getByLabel('text', { exact: false }).first().fill('ahoy');
  await page.getByRole('button', { name: 'Send' }).click();
  const asked = page.getByRole('button', { name: 'Allow once' }).first();
  await asked.waitFor();
  await asked.click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText('Success').waitFor();
  await messages.getByText('tools/call').waitFor();
  expect(await messages.textContent()).toContain('ahoy');
  await expectAccessible(page);
});

test('the playground answers questions of servers, or declares that it cannot', async () => {
  const { page } = app;
  await app.load('/profiles/asking/try');
  await page.getByRole('button', { name: /notes__ask/ }).click();
  await page.getByRole('textbox', { name: /question/ }).fill('Which harbour?');
  await page.getByRole('button', { name: 'Send' }).click();
  const asked = page.getByRole('region', { name: 'Server notes asks' });
  await asked.getByText('Which harbour?').waitFor();
  await asked.getByText('Do not enter passwords').waitFor();
  await asked.getByRole('textbox', { name: /answer/ }).fill('Bergen');
  await expectAccessible(page);
  await asked.getByRole('button', { name: 'Accept' }).click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText('Success').waitFor();
  await messages.getByText('Request with the answers').waitFor();
  expect(await messages.textContent()).toContain('Bergen');

  await page.getByRole('button', { name: /notes__sample/ }).click();
  await page.getByRole('textbox', { name: /prompt/ }).fill('Name a boat');
  await page.getByRole('button', { name: 'Send' }).click();
  await asked.getByText('Name a boat').waitFor();
  await asked.getByRole('textbox', { name: 'Your reply' }).fill('The Dory');
  await asked.getByRole('button', { name: 'Send reply' }).click();
  await messages.getByText('Success').waitFor();
  expect(await messages.textContent()).toContain('The Dory');

  await page.getByRole('button', { name: 'Send' }).click();
  await asked.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('You declined the sampling request', { exact: false }).first().waitFor();
  await expect
    .poll(async () => (await app.get('/api/calls?tool=sample&limit=1')).body.calls[0])
    .toMatchObject({ status: 'error', end: 'cancelled' });

  await page.getByRole('checkbox', { name: 'Sampling' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await messages.getByText('Failed').waitFor();
  expect(await messages.textContent()).toContain('sampling');
});

test('a profile that a key uses is not deleted, and says why', async () => {
  const { page } = app;
  await app.key(['read', 'call'], 'writers');
  await app.load('/profiles');
  await card('writers').getByText('1 key uses it').waitFor();
  await page.getByRole('button', { name: 'Delete writers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('cannot be deleted, because the key', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Delete copied' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  // The open dialog hides the rest of the page.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await card('copied').waitFor({ state: 'detached' });
});

test('tools are switched off and on, one by one and together, and get another name and description', async () => {
  const { page } = app;
  await app.load('/tools/mcp_notes_add');
  await page.getByRole('switch', { name: 'Enabled for everyone' }).click();
  await page.getByText('This tool is switched off', { exact: false }).waitFor();
  expect((await app.get('/api/tools?disabled=true')).body.tools).toMatchObject([{ name: 'mcp_notes_add' }]);
  await expectAccessible(page);
  await page.getByRole('switch', { name: 'Enabled for everyone' }).click();
  await page.getByRole('tab', { name: 'Run' }).waitFor();

  await page.getByRole('button', { name: 'Rename or describe' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('echo');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText("belongs to tool 'echo' of server 'notes'", { exact: false }).waitFor();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('sum');
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Adds for you');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('mcp_notes_sum').waitFor();
  await page.getByText('Show the original', { exact: false }).click();
  await page.getByRole('region', { name: 'Tool add' }).getByText('Adds two numbers').waitFor();

  await page.getByRole('combobox', { name: 'Server' }).selectOption('other');
  await page.getByRole('button', { name: /^Switch off \d+ tools …/ }).click();
  await dialog.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: /^Switch on \d+ tools/ }).waitFor();
  expect((await app.get('/api/tools?server=other')).body.tools).toEqual([]);
  await page.getByRole('button', { name: /^Switch on \d+ tools/ }).click();
  await page.getByRole('button', { name: /^Switch on/ }).waitFor({ state: 'detached' });
});

test('administrative acts are listed with the person and their details', async () => {
  const { page } = app;
  await app.load('/settings/activity');
  await page.getByText('Rename or describe tool').first().waitFor();
  await page.getByText('Create profile').first().waitFor();
  await page.getByRole('searchbox', { name: 'Search activity' }).fill('remove profile');
  await page.getByText('Rename or describe tool').first().waitFor({ state: 'detached' });
  await page.getByText('Remove profile').first().waitFor();
  await expectAccessible(page);
});

test('the form of a server shows every setting of the contract, and keeps those that nobody changed', async () => {
  const { page } = app;
  await app.signIn();
  const admin = { key: app.adminToken };
  const stored = { name: 'mine', transport: 'stdio', ...fixture('legacy'), deny: ['write'], trusted: true };
  await app.post('/api/servers', stored, admin);
  await app.load('/servers');
  await page.getByRole('article', { name: 'mine' }).getByRole('button', { name: 'Actions for mine' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByText('Advanced settings').click();
  await page.getByRole('combobox', { name: 'Sessions' }).selectOption('session');
  await page.getByLabel('Maximum duration').fill('2m');
  await page.getByRole('group', { name: 'Rate limit' }).getByLabel('Calls').fill('5');
  await page.getByRole('group', { name: 'Rate limit' }).getByLabel('Period').fill('1m');
  const drawn = /^(name|transport|command|args|env|url|headers|authentication|openapi|endpoints|allowInsecure)$/;
  const labels = formFields.server
    .filter(({ key, only }) => only !== 'url' && !drawn.test(key))
    .map(({ label }) => label);
  const form = await page.getByRole('dialog').innerText();
  expect(labels.filter((label) => !form.includes(label))).toEqual([]);
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { record } = (await app.get('/api/servers/mine', admin)).body;
  expect(record).toMatchObject({ rate: { calls: 5, per: 60_000 } });
  expect(record).toMatchObject({ isolation: 'session', maxTimeout: 120_000, deny: ['write'], trusted: true });
});
