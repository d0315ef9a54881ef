import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ servers: { notes: fixture('legacy') } });
});

afterAll(() => app?.close());

const dialog = () => app.page.getByRole('dialog', { name: 'Search' });
const field = () => dialog().getByRole('combobox');
const selected = () => dialog().getByRole('option', { selected: true });

test('Ctrl+K finds tools, servers, calls and actions, also with a missing letter, and Enter opens them', async () => {
  const { page } = app;
  await app.post('/api/tools/mcp_notes_echo/call', { arguments: { text: 'hi' } });
  await app.goto('/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await field().fill('zzzz');
  await dialog().getByText('Nothing found. Try fewer letters.').waitFor();
  await field().fill('slep');
  await selected().getByText('sleep').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tools\/mcp_notes_sleep$/);

  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await field().fill('notes');
  await selected().getByText('Server').waitFor();
  await field().fill('echo call');
  await selected().getByText('Call', { exact: true }).waitFor();
  for (const name of ['profiles', 'skills']) {
    await field().fill(name);
    await selected().getByText('Page').waitFor();
  }
  await field().fill('add a server');
  await selected().getByText('Action').click();
  await page.getByRole('dialog', { name: 'Add server' }).waitFor();
});

test('keys that are typed while the search is still loading go to the search, and not to the page', async () => {
  const page = await app.openPage('/tools');
  const tools = page.getByRole('combobox', { name: 'Search tools' });
  await tools.waitFor();
  const { promise: isTyped, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/CommandPalette-*.js', async (route) => {
    await isTyped;
    await route.continue();
  });
  await page.reload();
  await tools.focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('slep');
  release();
  const search = page.getByRole('dialog', { name: 'Search' });
  await search.getByRole('option', { selected: true }).getByText('sleep').waitFor();
  await page.keyboard.type('x');
  expect(await search.getByRole('combobox').inputValue()).toBe('slepx');
  expect(await page.locator('main input').first().inputValue()).toBe('');
  await page.close();
});

test('the accounts page leads to the servers while no server needs an account', async () => {
  const { page } = app;
  await app.goto('/accounts');
  await page.getByText('No server asks for a personal account').waitFor();
  await page.getByRole('link', { name: 'Show the servers' }).click();
  await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
});

test('a question mark lists the shortcuts, except in a field', async () => {
  const { page } = app;
  await app.goto('/tools');
  await page.getByRole('combobox', { name: 'Search tools' }).fill('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('heading', { name: 'Tools' }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Approval: allow once').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the search fits a narrow screen', async () => {
  const { page } = app;
  await page.setViewportSize({ width: 390, height: 740 });
  await app.goto('/');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await selected().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 800 });
});
