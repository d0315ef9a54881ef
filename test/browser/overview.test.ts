import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, startApp, type TestApp } from '../support/app.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const hostileName = '<img src=x onerror="document.title=1">\u202egpj';
let app: TestApp;
let directory: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  directory = await tempDir();
  app = await startApp({
    servers: { notes: fixture('legacy'), changing: fixture('changing'), broken: fixture('crash-on-start') },
    toolbox: { approval: { mode: 'auto', ask: ['notes/write'] } },
    gateway: { allowedOrigins: ['https://elsewhere.example'] },
  });
  await app.goto('/assistants');
  for (const ms of [0, 10, 20]) await call('sleep', { ms });
  await call('fail');
});

afterAll(async () => {
  await app.close();
  await directory[Symbol.asyncDispose]();
});

test('what is broken comes first and with its reason, and what else is odd is told', async () => {
  const { page } = app;
  await app.goto('/');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const first = attention.getByRole('listitem').first();
  await first.getByText('broken is not connected').waitFor();
  await first.getByText(/exited with code 3/).waitFor();
  await attention.getByText('Other web pages may use this gateway without a key').waitFor();
  const servers = page.getByRole('region', { name: 'Servers' });
  await servers.getByRole('listitem').first().getByText('Error').waitFor();
  await servers.getByRole('listitem').filter({ hasText: 'notes' }).getByText('Connected').waitFor();
  await page.getByText('2 of 3').waitFor();
  await first.getByRole('link', { name: 'Look' }).click();
  await page.waitForURL('**/servers/broken');
});

test('calls and how long they took are drawn, told in words and listed in a table', async () => {
  const { page } = app;
  await app.goto('/');
  const plots = page.getByRole('region', { name: 'Calls over time' });
  await plots.getByRole('img', { name: 'Calls in the last 24 hours: 3 succeeded, 1 failed, 0 denied.' }).waitFor();
  await plots.getByRole('img', { name: /^Time that calls took in the last 24 hours: half under/ }).waitFor();
  await waitFor(() => draws(page, '--accent'), { what: 'a bar' });
  await expectAccessible(page);

  await page.emulateMedia({ colorScheme: 'dark' });
  await waitFor(() => draws(page, '--accent'), { what: 'a bar in the colours of the dark scheme' });
  await page.emulateMedia({ colorScheme: 'light' });

  await plots.getByRole('button', { name: '1 h' }).click();
  await plots.getByRole('img', { name: /^Calls in the last hour: 3 succeeded/ }).waitFor();
  await plots.getByText('As a table').click();
  const rows = plots.getByRole('row');
  await rows.nth(1).waitFor();
  const counted = await rows.evaluateAll((all) =>
    all.slice(1).reduce((sum, row) => sum + Number(row.children[1]?.textContent), 0),
  );
  expect(counted).toBe(3);
  const busiest = page.getByRole('region', { name: 'Busiest tools' });
  await busiest
    .getByRole('row')
    .filter({ hasText: 'mcp_notes_sleep' })
    .getByRole('cell', { name: '3', exact: true })
    .waitFor();
  await expectAccessible(page);
});

test('a call that waits for a person and one that runs are there at once, and gone when they end', async () => {
  const { page } = app;
  const asked = call('write', { path: directory.file('out'), text: 'x' });
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('A call waits for an answer').waitFor();
  await attention.getByText('mcp_notes_write').waitFor();
  const { body } = await app.get('/api/approvals?status=pending');
  await app.post(`/api/approvals/${body.approvals[0].id}/answer`, { answer: 'deny' });
  await attention.getByText('A call waits for an answer').waitFor({ state: 'detached' });
  await asked;

  const stop = new AbortController();
  const slow = call('sleep', { ms: 60_000 }, stop.signal).catch(() => 'stopped');
  const running = page.getByRole('region', { name: 'Running now' });
  await running.getByRole('link', { name: 'mcp_notes_sleep' }).waitFor();
  await running.getByText('1 running').waitFor();
  stop.abort();
  expect(await slow).toBe('stopped');
  await running.getByText('No call is running.').waitFor();
});

test('a tool that is no longer what was accepted needs somebody', async () => {
  const { page } = app;
  await app.post('/api/tools/mcp_changing_mutate/call', { arguments: {} });
  const changed = page.getByRole('listitem').filter({ hasText: 'no longer what was accepted' });
  await changed.getByText('mcp_changing_target', { exact: false }).waitFor();
  await changed.getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL('**/servers/changing');
});

test('a hostile name is shown for what it is', async () => {
  const { page } = app;
  const { status } = await app.post('/api/servers', {
    name: hostileName,
    transport: 'http',
    url: 'http://127.0.0.1:1/mcp',
    retryAttempts: 0,
  });
  expect(status).toBe(201);
  await app.goto('/');
  const shown = hostileName.replace('\u202e', '⟨U+202E⟩');
  await page.getByRole('region', { name: 'Servers' }).getByRole('link', { name: shown }).waitFor();
  await page.getByText(`${shown} is not connected`).waitFor();
  expect(await page.title()).toBe('Overview · Toolwharf');
});

test('the way in is shown until it is dismissed, and leads into a conversation with the demo', async () => {
  const { page } = app;
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  const welcome = page.getByRole('region', { name: 'Where to begin' });
  await welcome.getByRole('link', { name: 'Add a server' }).waitFor();
  await welcome.getByRole('link', { name: 'Connect a client' }).waitFor();
  await welcome.getByRole('button', { name: 'Chat with the demo assistant' }).click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
  await app.goto('/');
  await welcome.getByRole('button', { name: 'Do not show this again' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Servers' }).waitFor();
  expect(await welcome.count()).toBe(0);
});

test('no page complained', () => {
  expect(app.complaints).toEqual([]);
});

function call(tool: string, args: object = {}, signal?: AbortSignal) {
  return app.post(`/api/tools/mcp_notes_${tool}/call`, { arguments: args }, { ...(signal && { signal }) });
}

/** Whether the first plot has something in this colour of the theme. */
function draws(page: Page, colour: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const canvas = document.querySelector('canvas');
    if (!canvas) return false;
    const hex = getComputedStyle(document.documentElement).getPropertyValue('${colour}').trim();
    const sought = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] === 255 && sought.every((part, index) => data[at + index] === part)) return true;
    return false;
  })()`);
}
