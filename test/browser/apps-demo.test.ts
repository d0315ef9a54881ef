import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appDemo, tempDir } from '../support/fixtures.ts';
import { addScriptedAssistant, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;
let assistant: ScriptedAssistant;
const directory = await tempDir();

beforeAll(async () => {
  app = await startApp({
    servers: {
      basic: appDemo('basic-vanillajs'),
      budget: appDemo('budget-allocator'),
      debug: appDemo('debug', { DEBUG_LOG_FILE: directory.file('debug.log') }),
    },
  });
  page = app.page;
  const call = { name: 'mcp_debug_debug-tool', args: {} };
  assistant = await addScriptedAssistant(app, [{ calls: [call] }, { text: 'Opened.' }], {
    serverIds: ['debug'],
    toolApproval: 'auto',
  });
});

afterAll(async () => {
  // These apps try to compile code, which the policy of their frame forbids, and go on without it.
  expect(app?.takePageErrors().filter((error) => !/unsafe-eval|\[debug-app\]/.test(error))).toEqual([]);
  await app?.close();
  await assistant?.[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const view = (server: string) => page.getByRole('region', { name: `App of server ${server}` });
const inApp = (server: string) => view(server).frameLocator('iframe');

async function run(server: string, tool: string): Promise<void> {
  await app.goto(`/tools/mcp_${server}_${tool}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await view(server).waitFor();
}

test('the basic demo app shows the result of its tool and calls it again', async () => {
  await run('basic', 'get-time');
  const time = inApp('basic').locator('#server-time');
  await time.getByText(/^20\d\d-/).waitFor();
  const before = await time.textContent();
  await inApp('basic').getByRole('button', { name: 'Get Server Time' }).click();
  await expect.poll(() => time.textContent()).not.toBe(before);
  await view('basic').getByText('1 call of this app').waitFor();
  await inApp('basic').getByRole('button', { name: 'Open Link' }).click();
  await page.getByRole('dialog', { name: 'Open link?' }).getByRole('button', { name: 'Cancel' }).click();
});

test('the budget demo app draws its chart from the structured result, in a frame that is as high as the app', async () => {
  await run('budget', 'get-budget-data');
  await inApp('budget')
    .getByText(/Allocated: \$[1-9]/)
    .waitFor();
  expect(await inApp('budget').locator('input[type=range]').count()).toBeGreaterThan(3);
  const heightOf = async (locator: Locator) => (await locator.boundingBox())?.height ?? 0;
  await expect
    .poll(async () => {
      const wanted = Math.min(720, await heightOf(inApp('budget').locator('html')));
      return Math.abs((await heightOf(view('budget').locator('iframe'))) - wanted);
    })
    .toBeLessThan(3);
});

test('the debug demo app gets input, result, context, theme, sizes and display modes', async () => {
  await run('debug', 'debug-tool');
  const log = inApp('debug').locator('#event-log');
  await log.getByText('ontoolresult').first().waitFor();
  await log
    .getByText(/^ontoolinput\b/)
    .first()
    .waitFor();
  const context = inApp('debug').locator('#host-context-info');
  await context.getByText('light').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await context.getByText('dark').waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  await context.getByText('light').waitFor();

  await inApp('debug').getByRole('button', { name: 'Fullscreen' }).click();
  await expect.poll(() => view('debug').boundingBox()).toMatchObject({ x: 0, y: 0, width: 1280, height: 800 });
  await inApp('debug').getByRole('button', { name: 'Inline' }).click();
  await expect.poll(async () => (await view('debug').boundingBox())?.width).toBeLessThan(1280);
  // Toolwharf has no such mode: the app stays where it is.
  await inApp('debug').getByRole('button', { name: 'PiP' }).click();
  await log.getByText('display-mode-result').nth(2).waitFor();

  const height = async () => (await view('debug').locator('iframe').boundingBox())?.height ?? 0;
  await inApp('debug').getByLabel('Auto-resize').uncheck();
  await inApp('debug').getByRole('button', { name: '400x300' }).click();
  await expect.poll(height).toBe(300);
  await inApp('debug').getByRole('button', { name: '800x600' }).click();
  await expect.poll(height).toBe(600);
});

test('the debug demo app writes to the chat only what the person allows', async () => {
  const { id } = await assistant.begin();
  await app.goto(`/chat/${id}`);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('Open it');
  await composer.press('Enter');
  await page.getByText('Opened.', { exact: true }).waitFor();
  const log = inApp('debug').locator('#event-log');
  // Images are no text.
  await inApp('debug').getByRole('button', { name: 'Send Test Image' }).click();
  await log.getByText('send-message-result').first().waitFor();
  assistant.model.push({ text: 'Hello, app.' });
  await inApp('debug').getByRole('button', { name: 'Send Text' }).click();
  const asked = view('debug').getByRole('region', { name: 'Message of the app' });
  await asked.getByText('Hello from debug app!').waitFor();
  await asked.getByRole('button', { name: 'Send message' }).click();
  await page.getByText('Hello, app.', { exact: true }).waitFor();

  const contexts = page.getByRole('list', { name: 'Context of apps for the next message' });
  // The app may miss a click while the answer changes the page.
  await expect
    .poll(async () => {
      await inApp('debug').getByRole('button', { name: 'Update (Structured)' }).click();
      return contexts.count();
    })
    .toBe(1);
  await contexts.getByText('adds context for the model').click();
  await contexts.getByText('"debugState"').waitFor();
  assistant.model.push({ text: 'I see.' });
  await composer.fill('And now?');
  await composer.press('Enter');
  await page.getByText('I see.', { exact: true }).waitFor();
  expect(assistant.model.requests.at(-1)?.last).toMatch(
    /^Context from the app of server "debug"[^\n]*\n> \{\n> {3}"debugState"[\s\S]*\n> \}\n\nAnd now\?$/,
  );
});
