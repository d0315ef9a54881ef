import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectClient, type TestClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;
let client: TestClient;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-calls-'));
  app = await startApp({
    servers: { s: fixture('legacy'), dying: fixture('die-in-call') },
    profiles: { careful: { approval: { mode: 'always-ask' } }, finding: { expose: 'search' } },
    toolbox: {
      chains: {
        echo_sum: {
          description: 'Adds two numbers and echoes the sum',
          steps: [
            { tool: 'mcp_s_add', arguments: { a: 2, b: 3 } },
            { tool: 'mcp_s_echo', arguments: { text: 'sum {{steps.1.text}}' } },
          ],
        },
      },
    },
  });
  page = app.page;
  client = await connectClient(`${app.url}/mcp/careful`);
});

afterAll(async () => {
  await client?.client.close();
  await app?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
});

const call = (tool: string, args: object = {}, more: object = {}) =>
  app.post(`/api/tools/mcp_${tool}/call`, { arguments: args, ...more });
const list = () => page.getByRole('list', { name: 'Calls' });
const row = (tool: string) =>
  list()
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: tool }) });
const details = (tool: string) => page.getByRole('dialog', { name: tool, exact: true });
const search = () => new URL(page.url()).search;
const shownText = async (locator: ReturnType<typeof list>) => (await locator.innerText()).replaceAll(/\s+/g, ' ');

async function closeDetails(): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

describe('the list of calls', () => {
  test('an empty list says what to do next, and a new call appears and is updated live [R6, R12]', async () => {
    await app.goto('/calls');
    await page.getByText('No calls yet').waitFor();
    const callId = crypto.randomUUID();
    const running = call('s_sleep', { ms: 60_000 }, { callId });
    await row('sleep').getByText('Running').waitFor();
    await row('sleep').getByRole('link').click();
    await details('sleep').getByRole('progressbar').waitFor();
    expect(search()).toBe('');
    expect(new URL(page.url()).pathname).toBe(`/calls/${callId}`);
    await expectAccessible(page);
    await details('sleep').getByRole('button', { name: 'Cancel call' }).click();
    await details('sleep').getByText('Ended: cancelled').waitFor();
    expect((await running).status).toBe(499);
    expect(await details('sleep').getByRole('button', { name: 'Cancel call' }).count()).toBe(0);
    await closeDetails();
    await row('sleep').getByText('Cancelled').waitFor();
  });

  test('the list tells tool errors, invalid arguments and unknown outcomes apart [R6]', async () => {
    await call('s_echo', { text: 'fine' });
    await call('s_fail');
    await call('s_add', { a: 'one' });
    await call('dying_die', { path: join(directory, 'died') });
    await row('echo').getByText('Success').waitFor();
    await row('fail').getByText('Tool error').waitFor();
    await row('add').getByText('Invalid').waitFor();
    await row('die').getByText('Outcome unknown').waitFor();
    expect(await shownText(row('echo'))).toMatch(/^echo s \S+(?: · \S+)? Success \d.* just now$/);
    await expectAccessible(page);
  });

  test('the list is filtered by server, tool, status, caller and time, and the address keeps the filter', async () => {
    await app.post('/api/tools/mcp_s_pid/call', {}, { key: app.adminToken });
    await row('pid').getByText('Administrator').waitFor();
    await page.getByLabel('Server').selectOption('dying');
    await row('echo').waitFor({ state: 'detached' });
    await row('die').waitFor();
    expect(search()).toBe('?server=dying');
    await page.getByRole('button', { name: 'Clear' }).click();

    await page.getByLabel('Status').selectOption('Without a result');
    await row('echo').waitFor({ state: 'detached' });
    for (const tool of ['sleep', 'fail', 'add', 'die']) await row(tool).waitFor();
    expect(await list().getByRole('listitem').count()).toBe(4);
    await page.getByRole('main').getByLabel('Search').fill('FAI');
    await row('add').waitFor({ state: 'detached' });
    await row('fail').waitFor();
    expect(search()).toBe('?status=error&search=FAI');
    await page.reload();
    await row('fail').waitFor();
    expect(await list().getByRole('listitem').count()).toBe(1);
    expect(await page.getByRole('main').getByLabel('Search').inputValue()).toBe('FAI');
    // The filter also applies to live calls.
    await call('s_echo', { text: 'another' });
    await call('s_fail');
    await list().getByRole('listitem').nth(1).waitFor();
    expect(await row('echo').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear' }).click();

    await page.getByLabel('Caller').selectOption('admin');
    await row('echo').first().waitFor({ state: 'detached' });
    await row('pid').waitFor();
    await page.getByLabel('Time').selectOption('Last hour');
    await row('pid').waitFor();
    expect(search()).toBe('?caller=admin&range=1h');
    await page.getByRole('main').getByLabel('Search').fill('nobody');
    await page.getByText('No matching calls').waitFor();
    await app.goto('/calls?until=2020-01-01T00:00:00.000Z&status=nonsense');
    await page.getByText('No matching calls').waitFor();
    expect(await page.getByLabel('Until').inputValue()).toMatch(/^20(19|20)-/);
    await page.getByRole('button', { name: 'Clear' }).click();
    await row('pid').waitFor();
  });

  test('outcomes are counted apart, each count filters the list, and the calls are exported as CSV and JSON lines', async () => {
    await app.goto('/calls');
    await page.getByRole('link', { name: '1 invalid' }).click();
    await row('echo').first().waitFor({ state: 'detached' });
    await row('add').waitFor();
    expect(search()).toBe('?range=24h&end=invalid&status=error');
    expect(await list().getByRole('listitem').count()).toBe(1);
    const exported = async (format: string) => {
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ]);
      return readFile(await download.path(), 'utf8');
    };
    expect(await exported('CSV')).toMatch(
      /^id,created_at,[^\r]+\r\n[0-9a-f-]{36},[^\r]+,add,[^\r]+,error,invalid,[^\r]+\r\n$/,
    );
    const lines = (await exported('JSON lines')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ originalName: 'add', end: 'invalid' }]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear' }).click();
    await row('pid').waitFor();
  });

  test('scrolling loads older calls, and new calls do not move the list', async () => {
    const made = Array.from({ length: 150 }, (_, at) => call('s_echo', { text: `call ${at}` }));
    await Promise.all(made);
    await page.reload();
    await row('echo').first().waitFor();
    // Only the visible rows are rendered.
    expect(await list().getByRole('listitem').count()).toBeLessThan(100);
    await waitFor(async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return (await row('sleep').count()) === 1;
    });
    await page.getByText('158 calls', { exact: true }).waitFor();
    await call('s_image');
    await page.getByRole('button', { name: '1 new call' }).click();
    await row('image').waitFor();
    await page.getByRole('button', { name: '1 new call' }).waitFor({ state: 'detached' });
  });
});

describe('the details of a call', () => {
  test('the timeline of an approved call names who approved it and how it ended', async () => {
    const calling = client.text('s__structured', { city: 'Bergen' });
    await row('structured').getByText('Awaiting approval').waitFor();
    await row('structured').getByRole('link').click();
    const panel = details('structured').getByRole('article', { name: 'Approval of structured' });
    await panel.getByRole('button', { name: 'Allow once' }).click();
    await calling;
    await details('structured').getByText('Ended: success').waitFor();
    await panel.waitFor({ state: 'detached' });
    const timeline = await shownText(details('structured').getByRole('region', { name: 'Timeline' }));
    expect(timeline).toMatch(/Awaiting approval [\d.]+ .*Running [\d.]+ m?s/);
    expect(timeline).toMatch(
      /Called by local.*Approval requested: the approval mode is always-ask.*Allowed by local, once\..*Sent to the server.*Ended: success/,
    );
    await details('structured').getByRole('region', { name: 'Result' }).getByText('21.5').first().waitFor();
    await details('structured').getByText('Bergen').first().waitFor();
    await expectAccessible(page);
    await closeDetails();
  });

  test('a denied call names who denied it, the reason and the meaning of its error code', async () => {
    const calling = client.text('s__write', { path: '/nowhere', text: 'x' });
    const asked = await waitFor(async () => (await app.get('/api/approvals?status=pending')).body.approvals[0]);
    await app.post(
      `/api/approvals/${asked.id}/answer`,
      { answer: 'deny', reason: 'keep off' },
      { key: app.adminToken },
    );
    expect(await calling).toContain('keep off');
    await row('write').getByText('Denied').waitFor();
    await row('write').getByRole('link').click();
    await details('write')
      .getByText(/^Denied by Administrator \(\S+\)\.$/)
      .waitFor();
    await details('write').getByText('CALL_DENIED').waitFor();
    await details('write').getByText('What this means').click();
    await details('write')
      .getByText('A rule or a person denied the call, or it required approval and nobody could be asked.')
      .waitFor();
    expect(await details('write').getByText('Sent to the server').count()).toBe(0);
    await closeDetails();
  });

  test('a call with an unknown outcome is not reported as failed', async () => {
    await page.getByLabel('Server').selectOption('dying');
    await row('die').getByRole('link').click();
    await details('die').getByText('Ended: outcome unknown').waitFor();
    await details('die').getByText('OUTCOME_UNKNOWN').waitFor();
    await details('die')
      .getByText(/it was not sent again/)
      .waitFor();
    await closeDetails();
    expect(search()).toBe('?server=dying');
    await page.getByRole('button', { name: 'Clear' }).click();
  });

  test('each number of calls leads to exactly the calls that it counts', async () => {
    const counted = [
      ['failed', 'error', 'tool,failed,timeout'],
      ['denied', 'denied', 'denied'],
      ['invalid', 'invalid', 'invalid'],
      ['unknown', 'unknown', 'unknown-outcome'],
    ] as const;
    await app.goto('/calls');
    for (const [label, total, end] of counted) {
      const { calls } = (await app.get(`/api/calls?end=${end}`)).body;
      const count = calls.length;
      expect(count).toBeGreaterThan(0);
      // The gateway counts again every few seconds.
      await expect.poll(async () => (await app.get('/api/calls/stats')).body.totals[total]).toBe(count);
      await page.getByRole('link', { name: `${count} ${label}`, exact: true }).click();
      await page.getByText(count === 1 ? '1 call' : `${count} calls`, { exact: true }).waitFor();
      expect(Object.fromEntries(new URLSearchParams(search()))).toEqual({ range: '24h', status: 'error', end });
      expect(await list().getByRole('listitem').count()).toBe(count);
    }
    await page.getByRole('button', { name: 'Clear' }).click();
  });

  test('a call is repeated on the page of its tool with the same arguments', async () => {
    await call('s_add', { a: 17, b: 25 }, { idempotencyKey: 'only-once' });
    await row('add').first().getByRole('link').click();
    await details('add').getByText('only-once').first().waitFor();
    await details('add').getByRole('region', { name: 'Result' }).getByText('42').waitFor();
    await details('add').getByRole('button', { name: 'Copy CLI command' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(`toolwharf call mcp_s_add --args '{"a":17,"b":25}'`);
    await details('add').getByRole('button', { name: 'Run again …' }).click();
    await page.waitForURL(/\/tools\/mcp_s_add/);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('42', { exact: true }).first().waitFor();
    const { body } = await app.get('/api/calls?tool=add&status=success');
    expect(body.calls[0].arguments).toEqual({ a: 17, b: 25 });
    expect(body.calls[0].idempotencyKey).toBeUndefined();
  });

  test('a large or hostile result is shown as plain text [R18]', async () => {
    const hostile =
      '<img src="http://127.0.0.1:9/x" onerror="document.title=1"><script>document.title=1</script>\u202e\u001b[31m';
    await call('s_echo', { text: hostile });
    await using open = await connectClient(`${app.url}/mcp`);
    for (const [bytes, shown] of [
      [5_000_000, 'The result was too large for the journal'],
      [200_000, 'xxxxxxxxxx'],
    ] as const) {
      await open.text('s__big', { bytes });
      const { body } = await app.get('/api/calls?tool=big');
      await app.goto(`/calls/${body.calls[0].id}`);
      await details('big').getByText(shown).first().waitFor();
    }
    await closeDetails();
    await row('echo').first().getByRole('link').click();
    await details('echo').getByText('⟨U+202E⟩').first().waitFor();
    expect(await page.locator('[role=dialog] img').count()).toBe(0);
    expect(await page.title()).toBe('Calls · Toolwharf');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await closeDetails();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the call of a chain lists its child calls, and each child links to its parent', async () => {
    await app.goto('/calls');
    const { body } = await app.post('/api/tools/echo_sum/call', { arguments: {} });
    expect(body.text).toBe('sum 5');
    const children = list()
      .getByRole('listitem')
      .filter({ has: page.getByLabel('Child call') });
    await children.nth(1).waitFor();
    expect(await children.getByRole('link').allTextContents()).toEqual(['echo', 'add']);
    await row('echo_sum').getByRole('link').click();
    const tree = (name: string) => details(name).getByRole('region', { name: 'Call tree' });
    const steps = tree('echo_sum').getByRole('listitem').getByRole('listitem');
    await steps.nth(1).waitFor();
    expect(await shownText(steps.first())).toMatch(/^add Success [\d.]+ m?s$/);
    expect(await shownText(steps.last())).toMatch(/^echo Success [\d.]+ m?s$/);
    await expectAccessible(page);
    await tree('echo_sum').getByRole('button', { name: 'Hide the calls of echo_sum' }).click();
    await steps.first().waitFor({ state: 'hidden' });
    await tree('echo_sum').getByRole('button', { name: 'Show the calls of echo_sum' }).click();
    await steps.first().getByRole('link', { name: 'add' }).click();
    await details('add').getByText('Called by').waitFor();
    expect(await tree('add').getByRole('link', { name: 'add' }).getAttribute('aria-current')).toBe('page');
    await tree('add').getByRole('link', { name: 'echo_sum' }).click();
    await tree('echo_sum').waitFor();
    await closeDetails();
  });

  test('the statistics count calls by tool, server, caller and duration, and lead to the calls', async () => {
    await app.goto('/calls?show=statistics');
    const byTool = page.getByRole('region', { name: 'Calls by tool' });
    await byTool.getByRole('link', { name: 'echo', exact: true }).waitFor();
    const first = byTool.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'echo', exact: true }) });
    expect(await shownText(first.first())).toMatch(/^echo s \d+ calls? /);
    await page.getByRole('region', { name: 'Calls by caller' }).getByRole('listitem').first().waitFor();
    const rows = page.getByRole('region', { name: 'Call durations' }).getByRole('row');
    await waitFor(async () => (await rows.count()) === 11);
    expect(await shownText(rows.nth(5))).toMatch(/^≤ 1 s \d+$/);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });
    await byTool.getByRole('link', { name: 'echo', exact: true }).click();
    await row('echo').first().waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ server: 's', tool: 'mcp_s_echo' });
    await page.getByText('Only the tool').waitFor();
    await page.getByRole('button', { name: 'Show all tools' }).click();
    await page.getByText('Only the tool').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('tool')).toBe(false);
  });

  test('a call is saved as a request, run again, renamed and deleted', async () => {
    const { body } = await app.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'keep me' } });
    await app.goto(`/calls/${body.callId}`);
    await details('echo').getByRole('button', { name: 'Save as request' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save as request' });
    await dialog.getByLabel('Name').fill('Keep');
    await dialog.getByLabel('Share with everyone').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Find it under').first().waitFor();
    await app.goto('/calls?show=requests');
    const saved = page.getByRole('list', { name: 'Saved requests' }).getByRole('listitem');
    await saved.getByText('shared').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Rename Keep' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename the request' });
    await rename.getByLabel('Name').fill('Kept');
    await rename.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Run Kept' }).click();
    await page.getByText('keep me').first().waitFor();
    await app.goto('/calls?show=requests');
    await page.getByRole('button', { name: 'Delete Kept' }).click();
    await page.getByRole('dialog', { name: "Delete 'Kept'?" }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No saved requests yet').waitFor();
  });

  test('a search for tools is shown with its query and the tools that it found', async () => {
    const finding = await connectClient(`${app.url}/mcp/finding`);
    await finding.client.callTool({ name: 'search_tools', arguments: { query: 'echo', server: 's', limit: 1 } });
    await finding.client.close();
    await app.goto('/calls');
    await row('search_tools').getByText('Success').waitFor();
    await row('search_tools').getByRole('link').click();
    await details('search_tools').getByText('s__echo').first().waitFor();
    await details('search_tools').getByText('search for tools').waitFor();
    // No tool of the catalog has this name.
    expect(await details('search_tools').getByRole('link', { name: 'search_tools' }).count()).toBe(0);
    expect(await details('search_tools').getByRole('button', { name: 'Run again' }).count()).toBe(0);
    await expectAccessible(page);
    await closeDetails();
  });

  test('an unknown call id is reported', async () => {
    await app.goto('/calls/none');
    await page.getByRole('dialog', { name: 'Call' }).getByText("There is no call 'none'").waitFor();
    await closeDetails();
  });
});
