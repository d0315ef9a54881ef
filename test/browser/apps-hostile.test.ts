import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;
/** The requests to the attacker's host that the browser did not block. */
const sent = new Set<Request>();

beforeAll(async () => {
  app = await startApp({ servers: { evil: fixture('hostile-app'), victim: fixture('legacy') } });
  page = app.page;
  page.on('request', (request) => {
    if (/evil\.example/.test(request.url())) sent.add(request);
  });
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'csp') sent.delete(request);
  });
});
// The browser reports each blocked attack.
afterAll(async () => {
  app?.takePageErrors();
  await app?.close();
});

const view = () => page.getByRole('region', { name: 'App of server evil' });
const inApp = () => view().frameLocator('iframe');
const outcome = async (name: string) => (await inApp().locator(`#${name}`).textContent()) ?? '';

beforeEach(async () => {
  await app.goto('/tools/mcp_evil_attack');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await inApp().locator('#finished').waitFor();
});

/** The page is where it was, and works. */
async function expectUnharmed(): Promise<void> {
  expect(new URL(page.url()).pathname).toBe('/tools/mcp_evil_attack');
  expect(page.context().pages()).toHaveLength(1);
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await expect.poll(() => sent.size).toBe(0);
}

const attacks = [
  ...['top-navigation', 'parent-document', 'parent-storage', 'storage', 'session-storage', 'cookie', 'database'],
  ...['popup', 'gateway', 'gateway-image', 'remote-fetch', 'remote-script', 'eval', 'base', 'camera'],
];

test('attacks of an app on the page, its storage, the gateway and the network are blocked', async () => {
  const outcomes = await Promise.all(attacks.map(async (name) => [name, await outcome(name)] as const));
  expect(outcomes.filter(([, text]) => !text.startsWith('blocked: '))).toEqual([]);
  expect(await outcome('origin')).toBe('null');
  await expectUnharmed();
});

test('an app cannot send a form', async () => {
  await inApp().locator('#send').click();
  await expect.poll(() => app.pageErrors.some((error) => /form-action/.test(error))).toBe(true);
  await expectUnharmed();
});

test('an app calls no tool for models only and no tool of another server, and reads none of its resources', async () => {
  expect(await outcome('private-tool')).toMatch(/^error: .*has no tool 'private' for apps/);
  expect(await outcome('other-tool')).toMatch(/^error: .*has no tool 'mcp_victim_echo' for apps/);
  expect(await outcome('other-name')).toMatch(/^error: .*has no tool 'echo' for apps/);
  expect(await outcome('other-resource')).not.toContain('contents');
  const { calls } = (await app.get('/api/calls?server=victim')).body;
  expect(calls).toEqual([]);
  expect((await app.get('/api/calls?server=evil&tool=private')).body.calls).toEqual([]);
});

test('an app opens no script as a link, gets no sampling, no other display mode and its page only once', async () => {
  expect(await outcome('script-link')).toBe('{"isError":true}');
  expect(await outcome('sampling')).toContain('refused');
  expect(await outcome('display')).toBe('{"mode":"inline"}');
  expect(await inApp().locator('#second-load').count()).toBe(0);
});

test('an app that asks for an enormous size gets a limited one', async () => {
  await inApp().locator('#huge').click();
  await expect.poll(async () => (await view().locator('iframe').boundingBox())?.height).toBe(48);
  await expectUnharmed();
});

test.each(['flood', 'top-flood'])('an app that sends a %s of messages is closed', async (id) => {
  await inApp().locator(`#${id}`).click();
  await view().getByText('The app sent too many messages and was closed.').waitFor();
  expect(await view().locator('iframe').count()).toBe(0);
  await expectUnharmed();
});

test('an app can make eight calls at the same time, and the others fail', async () => {
  await inApp().locator('#calls').click();
  await inApp().locator('#many').waitFor();
  expect((await outcome('many')).split(' ').filter((one) => one === 'yes')).toHaveLength(8);
});

test('an app cannot take its frame to another site', async () => {
  await inApp().locator('#leave').click();
  await expect.poll(() => app.pageErrors.some((error) => /frame-src/.test(error))).toBe(true);
  await expectUnharmed();
});
