import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

const secret = 'sk-house-4711-secret';
const config = {
  servers: { notes: fixture('legacy'), other: fixture('no-tools') },
  profiles: { reading: { servers: ['notes'], allow: ['notes/echo', 'notes/add'], deny: ['notes/write'] } },
};

let app: TestApp;
let models: ScriptedChat;
let directory: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  directory = await tempDir();
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  models = await startScriptedChat([], { models: ['scripted', '<b>bold</b>'], apiKey: secret });
  app = await startApp(directory.file('toolwharf.json'), { watch: true, env: { PATH: process.env.PATH } });
});

afterAll(async () => {
  await app.close();
  await models[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

test('a provider is tested, added, edited and removed, and its key is never shown again [R17]', async () => {
  const { page } = app;
  await app.goto('/settings');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Scripted answers without a model' })
    .getByText('Built in')
    .waitFor();
  await page.getByRole('button', { name: 'Add provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Provider' }).selectOption('Ollama');
  expect(await dialog.getByLabel('Base URL').inputValue()).toBe('http://127.0.0.1:11434/v1');
  await dialog.getByRole('combobox', { name: 'Provider' }).selectOption({ label: 'Other (OpenAI-compatible)' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must not be empty').waitFor();

  await dialog.getByLabel('Name').fill('House <i>models</i>');
  await dialog.getByLabel('Base URL').fill(models.url);
  await dialog.getByLabel('API key', { exact: true }).fill('wrong');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByRole('alert').getByText('The test failed').waitFor();
  await dialog.getByLabel('API key', { exact: true }).fill(secret);
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText(/Connected in [\d.]+ m?s\. 2 models found\./).waitFor();
  await dialog.getByText('Show models').click();
  await dialog.getByRole('listitem').filter({ hasText: '<b>bold</b>' }).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('is ready').waitFor();
  expect(await dialog.getByRole('link', { name: 'Start a chat' }).getAttribute('href')).toMatch(/^\/chat\?assistant=/);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).first().click();

  const row = page.getByRole('listitem').filter({ hasText: 'House <i>models</i>' });
  await row.getByText('key is set', { exact: false }).waitFor();
  await row.getByRole('button', { name: 'Edit House' }).click();
  expect(await dialog.getByLabel('API key', { exact: true }).inputValue()).toBe('stored');
  await dialog.getByRole('button', { name: 'Replace api key' }).waitFor();
  await dialog.getByLabel('Name').fill('Renamed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Test Renamed' }).click();
  await page.getByText('2 models found', { exact: false }).waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(JSON.stringify((await app.get('/api/providers')).body)).not.toContain(secret);

  await page.getByRole('button', { name: 'Remove Renamed' }).click();
  await dialog.getByText('The provider and its key will be deleted.').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Test Renamed' }).waitFor({ state: 'detached' });
});

test('a provider is tested when it is saved, and gives an assistant whose model can be changed in the chat', async () => {
  const { page } = app;
  await app.goto('/settings/models');
  await page.getByRole('button', { name: 'Add provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Provider' }).selectOption({ label: 'Other (OpenAI-compatible)' });
  await dialog.getByLabel('Name').fill('House');
  await dialog.getByLabel('Base URL').fill(models.url);
  await dialog.getByLabel('API key', { exact: true }).fill('wrong');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('The test failed').waitFor();
  await dialog.getByRole('button', { name: 'Save anyway' }).waitFor();
  await dialog.getByLabel('API key', { exact: true }).fill(secret);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByRole('link', { name: 'Start a chat' }).click();

  const model = page.getByRole('combobox', { name: 'Model', exact: true });
  await expect.poll(() => model.inputValue()).toMatch(/<b>bold<\/b>$/);
  await model.focus();
  await expect.poll(() => model.getByRole('option').count()).toBe(3);
  await model.selectOption({ label: 'scripted' });
  models.push({ text: 'Hello from the other model.' });
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByText('Hello from the other model.', { exact: true }).waitFor();
  expect(models.requests.at(-1)?.body).toMatchObject({ model: 'scripted' });
  await expect.poll(() => model.inputValue()).toMatch(/\/scripted$/);
});

test('a key is created, shown once, used and revoked', async () => {
  const { page } = app;
  await app.goto('/settings/models');
  await page.getByRole('tab', { name: 'Keys' }).click();
  await page.getByText('No keys yet').waitFor();
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Editor <u>plugin</u>');
  await dialog.getByLabel('Administer').click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('A key cannot grant permissions that you do not have yourself', { exact: false }).waitFor();
  await dialog.getByRole('link', { name: 'Sign in' }).waitFor();
  await dialog.getByLabel('Administer').click();
  await dialog.getByLabel('Profile').selectOption('reading');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create key' }).click();

  await dialog.getByText('Copy the key now').waitFor();
  const key = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(key);

  const { body } = await app.get('/api/session', { key });
  expect(body).toMatchObject({
    authenticated: true,
    via: 'key',
    profile: 'reading',
    permissions: expect.arrayContaining(['tools.call']),
  });
  await page.reload();
  const row = page.getByRole('listitem').filter({ hasText: 'Editor <u>plugin</u>' });
  await row.getByText('profile reading', { exact: false }).waitFor();
  await row.getByText('used just now', { exact: false }).waitFor();

  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked (1)').click();
  await row.getByText('revoked just now', { exact: false }).waitFor();
  expect((await app.get('/api/tools', { key })).status).toBe(401);
});

test('each profile has the snippets that connect a client', async () => {
  const { page } = app;
  await page.getByRole('link', { name: 'Profiles' }).click();
  const profile = page.getByRole('region', { name: 'reading', exact: true });
  await profile.getByRole('link', { name: 'Connect client' }).click();
  const cursor = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Cursor' }) });
  await cursor.getByText(`${app.url}/mcp/reading`, { exact: false }).waitFor();
  await page.getByRole('combobox', { name: 'Profile' }).selectOption('default');
  await cursor.getByText(`"${app.url}/mcp"`, { exact: false }).waitFor();
  await cursor.getByRole('button', { name: 'Copy snippet for Cursor' }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(JSON.parse(copied).mcpServers.toolwharf.url).toBe(`${app.url}/mcp`);
  await page.getByText(`curl ${app.url}/api/tools`, { exact: false }).first().waitFor();
  await page.getByText(`new URL('${app.url}/mcp')`, { exact: false }).waitFor();
  await expectAccessible(page);
});

test('the configuration is shown, and a file with errors raises an alert', async () => {
  const { page } = app;
  await page.getByRole('tab', { name: 'Configuration' }).click();
  await page.getByText(directory.file('toolwharf.json'), { exact: true }).waitFor();
  await page.locator('dd').getByText('Toolwharf', { exact: true }).waitFor();
  await page.getByText('90 days, at most 1,000,000 calls').waitFor();
  await expectAccessible(page);

  await writeFile(directory.file('toolwharf.json'), '{ "servers": { "notes": { "transport": "pigeon" } } }');
  const alert = page.getByRole('alert').filter({ hasText: 'The configuration file has errors' });
  await alert.getByText('pigeon', { exact: false }).waitFor();
  await expectAccessible(page);
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  await alert.waitFor({ state: 'detached' });
});

test('signing in with the admin token and signing out changes the session', async () => {
  const { page } = app;
  await page.getByRole('tab', { name: 'Session' }).click();
  await page.getByText('local connection').waitFor();
  await page.getByLabel('API key or admin token').fill('nonsense');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
  await page.getByLabel('API key or admin token').fill(app.adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('admin token', { exact: true }).waitFor();
  await expectAccessible(page);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByText('Administrator').waitFor();
  await pages.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('local connection').waitFor();
});

test('the section for users says how people sign in while there is no identity provider', async () => {
  await app.goto('/settings/users');
  await app.page.getByRole('tab', { name: 'Users', selected: true }).waitFor();
  await app.page.getByText('Nobody has signed in yet').waitFor();
  await app.goto('/settings');
  await app.page.getByRole('tab', { name: 'Models', selected: true }).waitFor();
  expect(await app.page.getByRole('tab', { name: 'Users' }).count()).toBe(0);
});

test('sections for administrators are not offered to everyone else, and links to them explain why, also on a narrow screen', async () => {
  const key = await app.key(['read', 'call'], 'reading');
  const page = await app.openPage(`/settings/keys#token=${key}`);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByText('It needs the permission keys.own', { exact: false }).waitFor();
  for (const [tab, text] of [
    ['Models', 'Scripted answers without a model'],
    ['Connect a client', 'Claude Code'],
    ['Session', 'API key'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByText(text, { exact: false }).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  }
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Models', 'Connect a client', 'Session']);
  await page.getByRole('button', { name: 'Open the menu' }).click();
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByText('Calls tools').waitFor();
  expect(await pages.getByRole('link', { name: 'Scripts' }).count()).toBe(0);
  await expectAccessible(page);
  await page.close();
});

test('on a narrow screen, long lines of a snippet scroll in their box, and the copy button covers no code', async () => {
  const page = await app.openPage('/settings/connect');
  await page.setViewportSize({ width: 390, height: 800 });
  const box = page.getByRole('group', { name: 'SDK example' });
  await box.waitFor();
  const widths = await box.evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
  expect(widths.scrollWidth).toBeGreaterThan(widths.clientWidth);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  const [code, button] = await Promise.all([
    box.boundingBox(),
    page.getByRole('button', { name: 'Copy SDK example' }).boundingBox(),
  ]);
  expect(button?.x).toBeGreaterThanOrEqual((code?.x ?? 0) + (code?.width ?? Infinity));
  await expectAccessible(page);
  await page.close();
});
