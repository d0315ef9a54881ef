import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, startServers } from '../support/oauth.ts';
import { type PersonalServer, startPersonalServer } from '../support/personal-server.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let personal: PersonalServer;
let app: TestApp;
let page: Page;

beforeAll(async () => {
  personal = await startPersonalServer({ 'home-TOKEN': 'Ada', 'work-TOKEN': 'Ada at work', 'bob-TOKEN': 'Bob' });
  const authentication = { type: 'bearer', token: '${account:token}' } as const;
  app = await startApp(
    {
      servers: {
        calendar: { url: personal.url, authentication, credentials: 'per-user' },
        notes: { url: personal.url, authentication, credentials: 'per-user', description: 'Notes of each person' },
      },
    },
    { port: await freePort() },
  );
  page = app.page;
});
afterAll(async () => {
  await app?.close();
  await personal?.[Symbol.asyncDispose]();
});

const card = (name: string) => page.getByRole('region', { name, exact: true });

async function connect(server: string, token: string, label?: string): Promise<void> {
  await card(server)
    .getByRole('button', { name: /^Connect/ })
    .click();
  const dialog = page.getByRole('dialog', { name: `Connect an account at ${server}` });
  await dialog.getByLabel('token', { exact: false }).first().fill(token);
  if (label !== undefined) await dialog.getByLabel('Name of the account').fill(label);
  await dialog.getByRole('button', { name: 'Connect account' }).click();
}

test('a person connects accounts, chooses the default one and disconnects', async () => {
  const key = await app.key(['read', 'call']);
  await app.post('/api/accounts', { server: 'notes', values: { token: 'bob-TOKEN' } }, { key });
  await app.goto('/');
  await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).click();
  await card('notes').getByText('Not connected').waitFor();

  await connect('notes', 'wrong-TOKEN');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('did not accept these credentials').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await connect('notes', 'home-TOKEN', 'home');
  await card('notes').getByText('Connected', { exact: true }).waitFor();
  await connect('notes', 'work-TOKEN', 'work');
  const work = card('notes').getByRole('listitem').filter({ hasText: 'work' });
  await work.getByRole('button', { name: 'Use by default' }).click();
  await work.getByText('Default', { exact: true }).waitFor();
  const { body } = await app.post('/api/tools/mcp_notes_whoami/call', {});
  expect(body.text).toBe('Ada at work');

  await expectAccessible(page);
  await work.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  // While the dialog is open, the rest of the page is not in the accessibility tree.
  await page.getByText('The account is disconnected.').first().waitFor();
  await work.waitFor({ state: 'detached' });
  expect((await app.post('/api/tools/mcp_notes_whoami/call', {})).body.text).toBe('Ada');
  expect(await page.content()).not.toContain('TOKEN');
});

test('an administrator sees who has accounts and revokes one', async () => {
  await app.goto('/accounts');
  const others = page.getByRole('region', { name: 'Accounts of others' });
  await others.getByText('Account at notes').waitFor();
  await others.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  // The open dialog hides the rest of the page.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await others.waitFor({ state: 'detached' });
});

test('a call that needs an account leads to the page, and goes on when the account is connected', async () => {
  // The tools of the server are known from the account of somebody else.
  const key = await app.key(['read', 'call']);
  await app.post('/api/accounts', { server: 'calendar', values: { token: 'bob-TOKEN' } }, { key });
  const running = app.post('/api/tools/mcp_calendar_whoami/call', {});
  const question = await expect
    .poll(async () => (await app.get('/api/questions')).body.questions[0])
    .toMatchObject({ params: { mode: 'url', url: `${app.url}/accounts?server=calendar` } })
    .then(async () => (await app.get('/api/questions')).body.questions[0]);
  await app.post(`/api/questions/${question.id}/answer`, { action: 'accept' });
  await app.goto('/accounts?server=calendar');
  await card('calendar').getByText('A call waits for your account at this server').waitFor();
  await connect('calendar', 'home-TOKEN');
  expect((await running).body.text).toBe('Ada');
});

test('a person signs in to a service with OAuth in the browser, from the page of servers, and returns', async () => {
  const { mcp } = await startServers();
  const tickets = { url: mcp, authentication: { type: 'oauth' }, credentials: 'per-user' } as const;
  await using other = await startApp({ servers: { tickets } }, { port: await freePort() });
  const own = other.page;
  await other.goto('/');
  const item = own.getByRole('listitem').filter({ hasText: 'tickets requires sign-in' });
  await item.getByRole('link', { name: 'Connect account' }).click();
  await own.waitForURL('**/accounts?server=tickets');
  await other.goto('/servers');
  await own.getByText('Nobody has connected an account yet').waitFor();
  await own.getByRole('link', { name: 'Connect account' }).click();
  await own
    .getByRole('region', { name: 'tickets', exact: true })
    .getByRole('button', { name: 'Connect account' })
    .click();
  await own.getByRole('dialog').getByRole('button', { name: 'Continue to sign-in' }).click();
  await own.getByText('Your account at tickets is connected.').first().waitFor();
  await own.getByText('Connected', { exact: true }).waitFor();
  expect(new URL(own.url()).pathname).toBe('/accounts');
  expect((await other.post('/api/tools/mcp_tickets_echo/call', {})).body.text).toBe('echo');
  // The browser visited the authorization server, and nothing else.
  const visited = other.takePageErrors();
  expect(visited.every((text) => text.startsWith('request to http://127.0.0.1:'))).toBe(true);
});
