import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;

beforeAll(async () => {
  app = await startApp({ servers: {} });
  page = app.page;
});
afterAll(() => app.close());

test('the app links to the documentation that its gateway serves', async () => {
  await app.goto('/');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Documentation' }).click();
  const docs = await opened;
  await docs.getByRole('heading', { level: 1 }).waitFor();
  expect(docs.url()).toBe(`${app.url}/docs/`);
  await docs.close();
});

test('the search of the documentation finds a section, with a typing error and by the keyboard alone', async () => {
  await app.goto('/docs/');
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Search the documentation' });
  await input.fill('aproval scope');
  const first = page.getByRole('option').first();
  await first.getByText('Approval › Scope of an answer').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/guide/approval.html#scope-of-an-answer');
  await page.getByRole('heading', { name: 'Scope of an answer' }).waitFor();
  await page.keyboard.press('/');
  await input.fill('zzzzqqqq');
  await page.getByText('Nothing found for “zzzzqqqq”.').waitFor();
  await page.keyboard.press('Escape');
  await input.waitFor({ state: 'hidden' });
});

test('the documentation has both colour schemes, and shares the choice with the app', async () => {
  await app.goto('/docs/guide/approval.html');
  const theme = () => page.locator('html').getAttribute('data-theme');
  expect(await theme()).toBe('light');
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  expect(await theme()).toBe('dark');
  await app.goto('/docs/faq.html');
  expect(await theme()).toBe('dark');
  await app.goto('/');
  await page.getByRole('navigation').waitFor();
  expect(await theme()).toBe('dark');
  await page.evaluate(`localStorage.removeItem('toolwharf.theme')`);
});

test.each(['/docs/', '/docs/guide/approval.html', '/docs/errors.html'])(
  '%s is accessible in both colour schemes',
  async (path) => {
    await app.goto(path);
    await expectAccessible(page);
  },
);

test('the documentation fits a window of 390 pixels, with its pages in a menu and no button over the code', async () => {
  const context = await app.newContext({ viewport: { width: 390, height: 844 } });
  const narrow = await context.newPage();
  for (const path of [
    '/docs/',
    '/docs/guide/compatibility.html',
    '/docs/reference/config.html',
    '/docs/recipes/approve-writes.html',
  ]) {
    await narrow.goto(`${app.url}${path}`);
    await narrow.getByRole('heading', { level: 1 }).waitFor();
    expect(await narrow.evaluate('document.documentElement.scrollWidth'), path).toBe(390);
  }
  // The button stands above the code, whose first line it would cover otherwise.
  const example = narrow.locator('.code:not(:has(figcaption))').first();
  const [button, code] = await Promise.all([
    example.getByRole('button', { name: 'Copy' }).boundingBox(),
    example.locator('code').boundingBox(),
  ]);
  expect((button?.y ?? Infinity) + (button?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? 0);
  const link = narrow.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Glossary' });
  expect(await link.isVisible()).toBe(false);
  await narrow.getByRole('button', { name: 'Menu' }).click();
  await link.click();
  await narrow.waitForURL('**/docs/glossary.html');
  await narrow.getByRole('heading', { name: 'Glossary' }).waitFor();
});
