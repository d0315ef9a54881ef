import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandboxRecords } from '../../packages/gateway/features/sandbox/stored-profile.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { featuresWith, sandboxProblem, startHost } from '../support/sandbox.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { chooseAnswer } from './support/approvals-page.ts';
import { onServersPage } from './support/servers-page.ts';

// The first test needs no bubblewrap: its program runs outside of a sandbox, and what it would have used is recorded.
let app: TestApp;
let folder: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  folder = await tempDir();
  for (const name of ['empty', 'home', 'unused']) await mkdir(folder.file(name));
  const env = { PATH: folder.file('empty'), HOME: folder.file('home'), TOOLWHARF_DATA_DIR: folder.file('data') };
  const servers = { shell: { ...fixture('shell'), sandbox: { read: [folder.file('unused')] } } };
  app = await startApp({ servers } as never, { env });
  await app.signIn();
});
afterAll(async () => {
  await app?.close();
  await folder?.[Symbol.asyncDispose]();
});

test('a person sees what a server has used and which call caused it, leaves an entry out and accepts the others', async () => {
  const { page } = app;
  const records = openSandboxRecords(app.storage);
  await app.load('/servers/shell?tab=sandbox');
  const panel = onServersPage(page).dialog('shell');
  await panel.getByText('Off', { exact: true }).waitFor();
  await panel.getByText(folder.file('unused')).waitFor();
  await panel.getByText('No host and no path was blocked.').waitFor();

  const since = new Date().toISOString();
  const admin = { key: app.adminToken };
  await app.post('/api/tools/shell__run/call', { arguments: { command: 'echo hello' } }, admin);
  const [call] = (await app.get('/api/calls', admin)).body.calls;
  const hosts = [
    { host: 'api.example.com', at: call.startedAt },
    { host: 'tracker.example.net', at: since },
  ];
  await records.change('shell', (record) => ({
    ...record,
    learning: { since, hosts },
    denied: ['never.example.org'],
    blocked: [{ list: 'network', entry: 'never.example.org', at: since, tool: 'run', reason: 'denied for ever' }],
  }));
  const entries = panel.getByRole('list', { name: 'Proposed entries' }).getByRole('listitem');
  await expect.poll(() => entries.count(), { timeout: 120_000 }).toBe(3);
  const entry = (name: string) => entries.filter({ hasText: name });
  const box = (name: string) => entry(name).getByRole('checkbox');
  expect(await entry('api.example.com').innerText()).toMatch(/New[\s\S]*Host[\s\S]*Used by run\./);
  await entry('tracker.example.net').getByText('Used outside of calls.').waitFor();
  await entry(folder.file('unused')).getByText('Allowed now, and not used.').waitFor();
  expect(await box(folder.file('unused')).isChecked()).toBe(false);
  await panel.getByText('Learning does not contain the program').waitFor();
  await panel.getByRole('list', { name: 'Blocked' }).getByText('denied for ever').waitFor();
  await expectAccessible(page);

  await box('tracker.example.net').uncheck();
  await panel.getByRole('button', { name: 'Accept 1 entry' }).click();
  await panel.getByText('Only what is listed').waitFor();
  expect((await records.get('shell')).accepted?.profile).toEqual({ read: [], write: [], network: ['api.example.com'] });
  const profile = panel.getByRole('list', { name: 'Profile' }).getByRole('listitem');
  await expect
    .poll(() => profile.allInnerTexts(), { timeout: 120_000 })
    .toEqual([
      expect.stringContaining(folder.file('unused')),
      expect.stringMatching(/api\.example\.com[\s\S]*Accepted/),
      expect.stringMatching(/Never[\s\S]*never\.example\.org/),
    ]);
  await panel.getByText('The program does not start', { exact: true }).waitFor();

  await panel.getByRole('button', { name: 'Learn' }).click();
  await panel.getByRole('button', { name: 'Stop' }).waitFor();
  expect((await records.get('shell')).learning?.hosts).toEqual([]);
  await panel.getByRole('button', { name: 'Stop' }).click();
  await panel.getByRole('button', { name: 'Learn' }).waitFor();
  expect((await records.get('shell')).learning).toBeUndefined();
});

test('the buttons of an approval for a host name the host and the server that an answer is remembered for, and no tools', async ({
  skip,
}) => {
  skip(sandboxProblem !== undefined, sandboxProblem);
  await using host = await startHost();
  const env = { PATH: process.env.PATH, HOME: folder.file('home'), TOOLWHARF_DATA_DIR: folder.file('other-data') };
  await using asking = await startApp({ servers: { shell: { ...fixture('shell'), sandbox: 'enforce' } } } as never, {
    env,
    features: featuresWith(host.network),
  });
  const { page } = asking;
  await asking.signIn();
  const admin = { key: asking.adminToken };
  await waitFor(async () => (await asking.get('/api/servers/shell', admin)).body.status.state === 'connected');
  const command = `node -e "fetch('http://news.example.com/').then(async (r) => console.log(await r.text()))"`;
  const call = asking.post('/api/tools/shell__run/call', { arguments: { command } }, admin);
  await waitFor(async () => (await asking.get('/api/approvals?status=pending', admin)).body.approvals.length === 1);
  await asking.load('/approvals');
  const panel = page.getByRole('article', { name: 'Approval of run', exact: true });
  await panel.getByRole('button', { name: 'More answers' }).click();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'Deny with a reason …',
    'Always allow news.example.com for shell',
  ]);
  await page.keyboard.press('Escape');
  await chooseAnswer(panel, 'Deny with a reason …');
  await panel.getByRole('checkbox', { name: 'Never let shell reach news.example.com' }).waitFor();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Back' }).click();
  await chooseAnswer(panel, 'Always allow news.example.com for shell');
  await page.getByText('Remembered. The tab Sandbox of the server lists the host.', { exact: true }).waitFor();
  expect((await call).body.content[0].text).toContain('hello from news.example.com');
  expect((await openSandboxRecords(asking.storage).get('shell')).accepted?.profile.network).toEqual([
    'news.example.com',
  ]);
  expect((await asking.get('/api/rules', admin)).body.rules).toEqual([]);
});
