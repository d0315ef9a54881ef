import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedChat, type ScriptedTurn, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let model: ScriptedChat;
let app: TestApp;
let page: Page;

beforeAll(async () => {
  model = await startScriptedChat([]);
  app = await startApp({ servers: { legacy: fixture('legacy') } });
  page = app.page;
  const admin = { key: app.adminToken };
  const provider = { name: 'Harbour', kind: 'openai-compatible', baseUrl: model.url };
  const { body } = await app.post('/api/providers', provider, admin);
  await app.put(
    `/api/assistants/${randomUUID()}`,
    {
      name: 'Aa <b>bold</b> \u202ename',
      model: { provider: body.id, model: 'scripted' },
      serverIds: ['legacy'],
      toolApproval: 'auto',
    },
    admin,
  );
});

afterAll(async () => {
  await app?.close();
  await model?.[Symbol.asyncDispose]();
});

const answer = () => page.getByRole('article', { name: 'Answer' }).last();
const message = () => page.getByRole('textbox', { name: 'Message' });

/** Starts a conversation in which the model gives these turns. */
async function startConversation(text: string, ...turns: readonly ScriptedTurn[]): Promise<void> {
  model.push(...turns);
  await app.goto('/chat');
  await message().fill(text);
  await message().press('Enter');
  await page.waitForURL(/\/chat\/.+/);
}

/** Expects that no script ran, nothing was fetched, and the page still works. */
async function expectUnharmed(): Promise<void> {
  await message().fill('still here');
  expect(await message().inputValue()).toBe('still here');
  expect(await page.evaluate(() => 'owned' in globalThis)).toBe(false);
  expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(1_280);
  expect(app.pageErrors).toEqual([]);
}

test('scripts, unsafe links and remote images in an answer stay text [R18]', async () => {
  await startConversation('Hello <script>owned = 1</script> \u202eeht', {
    reasoning: '<img src=x onerror="owned=1">',
    text: [
      '<script>owned = 1</script>\n\n<img src=x onerror="owned=1"> <iframe src="https://evil.example/"></iframe>\n\n',
      '[click](javascript:owned=1) [data](data:text/html,<script>owned=1</script>) [good](https://example.com/a)\n\n',
      '![a cat](https://evil.example/cat.png) ![own](data:image/svg+xml,<svg onload="owned=1"/>)\n\n',
      '\u001b[31mred\u001b[0m \u202egnp.exe &#x202e;entity zero\u200bwidth\n\n',
      '```html\n<script>owned = 1</script> \u202e\n```\n\n',
      '[ref]: javascript:owned=1\n\n[ref]\n\n<style>body{display:none}</style><a href="javascript:owned=1">raw</a>',
    ],
  });
  await answer().getByText('<img src=x onerror="owned=1">').waitFor();
  await answer().getByText('Image not loaded: a cat').getByText('(evil.example)').waitFor();
  await answer().getByText('⟨U+202E⟩gnp.exe ⟨U+202E⟩entity zero⟨U+200B⟩width').waitFor();
  const links = answer().getByRole('link');
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    'https://example.com/a',
  ]);
  expect(await links.first().getAttribute('rel')).toContain('noopener');
  expect(await links.first().innerText()).toContain('(example.com)');
  expect(await page.locator('main img, main iframe, main script, main style').count()).toBe(0);
  await page.getByRole('article', { name: 'Your message' }).getByText('⟨U+202E⟩eht').waitFor();
  await answer().getByText('Reasoning').click();
  await expectAccessible(page);
  await expectUnharmed();
});

test('hostile arguments and results stay text [R12, R18]', async () => {
  const text = '<img src=x onerror="owned=1"> \u001b[2J \u202e [x](javascript:owned=1)';
  await startConversation('Echo it', { calls: [{ name: 'mcp_legacy_echo', args: { text } }] }, { text: 'Echoed.' });
  const call = answer().getByRole('article', { name: 'Call of echo' });
  await answer().getByText('Echoed.').waitFor();
  // In the arguments and in the result.
  expect(await call.getByText('⟨U+001B⟩[2J ⟨U+202E⟩').count()).toBe(2);
  await call.getByRole('button', { expanded: false }).click();
  await call.getByText('Result').waitFor();
  expect(await call.locator('img').count()).toBe(0);
  await expectUnharmed();
});

test('very long and deeply nested text does not freeze the page', async () => {
  await startConversation('A lot, please', {
    text: [
      `${'>'.repeat(5_000)}\n\n${'- '.repeat(3_000)}\n\n${'['.repeat(5_000)}\n\n${'*a **b '.repeat(1_000)}\n\n`,
      `${'x'.repeat(60_000)}\n\n`,
      ...Array.from({ length: 40 }, () => `${'A paragraph of some length. '.repeat(180)}\n\n`),
      'The very end.',
    ],
  });
  await answer()
    .getByText(/of \d+,\d+ characters are shown/)
    .waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await expectUnharmed();
  while (await answer().getByRole('button', { name: 'Show more' }).count())
    await answer().getByRole('button', { name: 'Show more' }).click();
  await answer().getByText('The very end.').waitFor();
  await expectUnharmed();
});

test('an endless answer can be read, scrolled and stopped', async () => {
  await startConversation('Never stop', { text: 'On and on it goes. ', endless: true });
  await answer().getByText('On and on it goes.').waitFor();
  const region = page.getByRole('region', { name: 'Messages' });
  await waitFor(() => region.evaluate((box) => box.scrollHeight > box.clientHeight * 2), { what: 'a long text' });
  // The end stays visible until the person scrolls up.
  const distance = () => region.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  expect(await distance()).toBeLessThan(200);
  await region.hover();
  await page.mouse.wheel(0, -600);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await answer().getByText('You stopped this answer.').waitFor();
  await expectUnharmed();
});
