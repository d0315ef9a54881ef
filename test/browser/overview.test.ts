import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

const hostileName = '<img src=x onerror="document.title=1">\u202egpj';
let app: TestApp;
let directory: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  directory = await tempDir();
  app = await startApp({
    servers: {
      notes: fixture('legacy'),
      changing: fixture('changing'),
      broken: fixture('crash-on-start'),
      unused: { ...fixture('legacy'), enabled: false },
    },
    toolbox: { approval: { mode: 'auto', ask: ['notes/write'] } },
    gateway: { allowedOrigins: ['https://elsewhere.example'] },
  });
  await app.goto('/assistants');
  for (const ms of [0, 10, 20]) await call('sleep', { ms });
  await call('fail');
  await call('sleep', { ms: 'soon' });
});

afterAll(async () => {
  await app.close();
  await directory[Symbol.asyncDispose]();
});

test('broken servers come first with their reason, followed by warnings about the configuration', async () => {
  const { page } = app;
  await app.goto('/');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const first = attention.getByRole('listitem').first();
  await first.getByText('broken is not connected').waitFor();
  await first.getByText(/exited with code 3/).waitFor();
  await attention.getByText('Other websites can use this gateway without a key').waitFor();
  const servers = page.getByRole('region', { name: 'Servers' });
  await servers.getByRole('listitem').first().getByText('Error').waitFor();
  await servers.getByRole('listitem').filter({ hasText: 'notes' }).getByText('Connected').waitFor();
  await page.getByText('2 of 3').waitFor();
  await page.getByText('1 in error, 1 disabled').waitFor();
  await first.getByRole('link', { name: 'Review' }).click();
  await page.waitForURL('**/servers/broken');
});

test('calls and their duration are plotted, described for screen readers and listed in a table', async () => {
  const { page } = app;
  await app.goto('/');
  const plots = page.getByRole('region', { name: 'Calls over time' });
  await plots.getByRole('img', { name: 'Calls in the last 24 hours: 3 succeeded, 1 failed, 1 invalid.' }).waitFor();
  await plots.getByRole('img', { name: /^Call duration in the last 24 hours: median \d/ }).waitFor();
  await expect.poll(() => hasColour(page, '--accent')).toBe(true);
  await expectAccessible(page);

  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => hasColour(page, '--accent')).toBe(true);
  await page.emulateMedia({ colorScheme: 'light' });

  await plots.getByRole('button', { name: '1 h' }).click();
  await plots.getByRole('img', { name: /^Calls in the last hour: 3 succeeded/ }).waitFor();
  await plots.getByText('Show as table').click();
  const rows = plots.getByRole('row');
  await rows.nth(1).waitFor();
  const succeeded = await rows.evaluateAll((all) =>
    all.slice(1).reduce((sum, row) => sum + Number(row.children[1]?.textContent), 0),
  );
  expect(succeeded).toBe(3);
  const busiest = page.getByRole('region', { name: 'Busiest tools' });
  await busiest
    .getByRole('row')
    .filter({ hasText: 'mcp_notes_sleep' })
    .getByRole('cell', { name: '4', exact: true })
    .waitFor();
  await expectAccessible(page);
});

test('pending approvals and running calls appear at once and disappear when they end', async () => {
  const { page } = app;
  const asked = call('write', { path: directory.file('out'), text: 'x' });
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('1 call awaiting approval').waitFor();
  await attention.getByText('mcp_notes_write').waitFor();
  const { body } = await app.get('/api/approvals?status=pending');
  await attention.getByRole('link', { name: 'Review: 1 call awaiting approval' }).waitFor();
  await app.post(`/api/approvals/${body.approvals[0].id}/answer`, { answer: 'deny' });
  await attention.getByText('1 call awaiting approval').waitFor({ state: 'detached' });
  await asked;

  const stop = new AbortController();
  const slow = call('sleep', { ms: 60_000 }, stop.signal).catch(() => 'stopped');
  const running = page.getByRole('region', { name: 'Running now' });
  await running.getByRole('link', { name: 'mcp_notes_sleep' }).waitFor();
  await running.getByText('1 running').waitFor();
  stop.abort();
  expect(await slow).toBe('stopped');
  await running.getByText('No calls are running.').waitFor();
});

test('a tool whose definition changed needs attention', async () => {
  const { page } = app;
  await app.post('/api/tools/mcp_changing_mutate/call', { arguments: {} });
  const changed = page.getByRole('listitem').filter({ hasText: '1 tool changed since acceptance' });
  await changed.getByText('mcp_changing_target', { exact: false }).waitFor();
  await changed.getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL('**/servers/changing');
});

test('a hostile server name is shown as plain text', async () => {
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

test('the first steps are shown until they are hidden, and their button sends a message to the demo', async () => {
  const { page } = app;
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  const welcome = page.getByRole('region', { name: 'Get started' });
  await welcome.getByRole('link', { name: 'Add a server' }).waitFor();
  await welcome.getByRole('link', { name: 'Connect a client' }).waitFor();
  await welcome.getByRole('button', { name: 'Chat with the demo assistant' }).click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
  const { conversations } = (await app.get('/api/conversations')).body;
  expect(conversations).toEqual([expect.objectContaining({ title: 'What can you do for me?' })]);
  await app.goto('/');
  // A finished step is marked.
  await welcome.getByRole('heading', { name: 'Try the demo (done)' }).waitFor();
  await welcome.getByRole('heading', { name: 'Use from other apps', exact: true }).waitFor();
  await welcome.getByRole('button', { name: 'Hide this panel' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Servers' }).waitFor();
  expect(await welcome.count()).toBe(0);
});

function call(tool: string, args: object = {}, signal?: AbortSignal) {
  return app.post(`/api/tools/mcp_notes_${tool}/call`, { arguments: args }, { signal });
}

/** Whether the first plot contains this colour of the theme. */
function hasColour(page: Page, colour: string): Promise<boolean> {
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
