import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startApp, type TestApp } from './support/app.ts';
import { buildWithPseudoLanguage, pseudoLanguage } from './support/build-pseudo.ts';

let app: TestApp;
let directory: Awaited<ReturnType<typeof tempDir>>;
let page: Page;

beforeAll(async () => {
  directory = await tempDir();
  await buildWithPseudoLanguage(directory.path);
  app = await startApp({ servers: { aaa: fixture('legacy') } }, { web: directory.path });
  await app.post('/api/tools/mcp_aaa_echo/call', { arguments: { text: '1' } });
  page = await openPage('el-GR');
});

afterAll(async () => {
  await app.close();
  await directory[Symbol.asyncDispose]();
});

/** A page in a browser whose user prefers this language, signed in as administrator. */
async function openPage(locale: string, onRequest: (url: string) => void = () => {}): Promise<Page> {
  const context = await app.newContext({ locale, viewport: { width: 1440, height: 900 } });
  const opened = await context.newPage();
  opened.on('request', (request) => onRequest(request.url()));
  await app.signIn(opened);
  return opened;
}

const pages = [
  '/',
  '/chat',
  '/servers',
  '/servers?add',
  '/tools?show=resources',
  '/calls',
  '/assistants',
  '/assistants/new',
  '/approvals',
  '/approvals?tab=answered',
  '/approvals?tab=rules',
  '/settings/models',
  '/settings/keys',
  '/settings/configuration',
  '/settings/connect',
  '/settings/session',
  '/settings/activity',
  '/calls?show=statistics',
  '/calls?show=requests',
  '/profiles',
  '/profiles/new',
  '/servers/aaa/inspector',
];

/** Names that are the same in every language: products, protocols, units, and what the fixture and the gateway are called. */
const names =
  /\S*\/\S*|Demo assistant|Shows a conversation[^.]*\.|Toolwharf|Claude Code|Claude Desktop|Cursor|VS Code|Windsurf|English|Administrator|mcp_server_tool|mcp_aaa_echo|server__tool|SQLite|MiB|\b(aaa|echo|min|default|memo|one|two|stdio|legacy|HTTP|SSE|local|demo|MCP|API|SDK|REST|JSON|URL)\b/gi;

test('the browser loads the catalog of the language that its user prefers, and only that', async () => {
  const requested: string[] = [];
  const english = await openPage('en-GB', (url) => requested.push(url));
  await english.getByRole('link', { name: 'Overview' }).waitFor();
  expect(await english.locator('html').getAttribute('lang')).toBe('en');
  expect(requested.filter((url) => url.includes('pseudo-catalog'))).toEqual([]);
  expect(await page.locator('html').getAttribute('lang')).toBe(pseudoLanguage);
  expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0);
});

test('a language chosen in Settings is used until another one is chosen', async () => {
  const english = await openPage('en-GB');
  await english.goto(new URL('/settings/session', app.url).href);
  await english.getByLabel('Language of the app').selectOption('Ελληνικά');
  await english.locator(`html[lang="${pseudoLanguage}"]`).waitFor();
  await english.reload();
  expect(await englishWords(english)).toEqual([]);
  await english.locator('select').last().selectOption('English');
  await english.getByLabel('Language of the app').waitFor();
});

test.each(pages)('no English is left on %s in another language, and longer texts fit', async (path) => {
  await page.goto(new URL(path, app.url).href);
  await page.locator('main h1').waitFor();
  await page.waitForLoadState('networkidle');
  expect(await englishWords(page)).toEqual([]);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

/** The words in plain letters that the page shows or a screen reader announces, outside of code. */
async function englishWords(on: Page): Promise<string[]> {
  const texts = await on.evaluate(`
    [...document.querySelectorAll('body *')]
      .filter((element) => !element.closest('script, style, noscript, code, kbd, pre, [translate=no]'))
      .flatMap((element) => [
        ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
        ...['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
      ])`);
  return (texts as string[]).flatMap((text) => text.replaceAll(names, '').match(/[a-z]{3,}/gi) ?? []);
}
