import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everything, fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { connectClient, type TestClient } from '../support/open-gateway.ts';
import { openRaw } from '../support/raw-mcp.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { approvalsPage, chooseAnswer } from './support/approvals-page.ts';

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp({
    servers: {
      s: fixture('legacy'),
      changing: fixture('changing'),
      deceiving: fixture('deceiving'),
      everything: everything('stdio'),
    },
    profiles: {
      careful: { approval: { mode: 'always-ask' } },
      scripts: { expose: 'code', approval: { mode: 'always-ask' } },
      hasty: { approval: { mode: 'always-ask', expires: '2s' } },
    },
  });
  client = await connectClient(`${app.url}/mcp/careful`);
});

afterAll(async () => {
  await client?.client.close();
  await app?.close();
});

const { tab, pendingIds, openPending, revokeRule } = approvalsPage(() => app);
const panel = (tool: string) => app.page.getByRole('article', { name: `Approval of ${tool}`, exact: true });
const button = (tool: string, name: string) => panel(tool).getByRole('button', { name, exact: true });
const enabled = (locator: Locator) => locator.and(app.page.locator(':enabled'));
/** Makes a server change its tool and waits until the gateway has the new definition. */
async function changeTool(server: string, tool: string): Promise<void> {
  const hash = async () => (await app.get(`/api/tools/mcp_${server}_${tool}`)).body.definitionHash;
  const before = await hash();
  await app.post(`/api/tools/mcp_${server}_mutate/call`, {});
  await waitFor(async () => (await hash()) !== before, { what: `the new definition of ${tool}` });
}

describe('the list of pending approvals', () => {
  test('empty lists say what to do next', async () => {
    await openPending();
    await app.page.getByText('No pending approvals', { exact: true }).waitFor();
    await tab('Answered').click();
    await app.page.getByText('No answered approvals yet').waitFor();
    await tab('Rules').click();
    await app.page.getByText('No rules yet').waitFor();
    expect(new URL(app.page.url()).search).toBe('?tab=rules');
    await tab('Pending').click();
  });

  test('members of a request beside its arguments are shown to their end', async () => {
    using raw = await openRaw(`${app.url}/mcp/careful`, 'legacy');
    const padding = 'x'.repeat(1_000);
    const calling = raw.send(1, 'tools/call', { name: 's__echo', arguments: { text: 'a' }, padding, path: 'DANGER' });
    await openPending();
    await panel('echo').getByText('"path":"DANGER"').waitFor();
    await button('echo', 'Deny').click();
    expect(JSON.stringify((await calling).body)).toContain('denied');
  });

  test('a call of an MCP client is shown while it awaits approval, and runs once it is allowed [R16]', async () => {
    const calling = client.text('s__add', { a: 20, b: 22 });
    await panel('add').waitFor();
    const text = (await panel('add').innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('Requested by');
    expect(text).toContain('(MCP client), because the approval mode is always-ask.');
    expect(text).toContain('Adds two numbers');
    expect(text).toMatch(/a 20 b 22/);
    expect(text).toMatch(/(9:5\d|10:00) min left/);
    expect(await app.page.getByRole('link', { name: /Approvals/ }).innerText()).toContain('1');
    // The call belongs to no conversation.
    expect(await button('add', 'This conversation').count()).toBe(0);
    await button('add', 'Allow once').click();
    expect(await calling).toBe('42');
    await app.page.getByText('No pending approvals', { exact: true }).waitFor();

    await tab('Answered').click();
    const row = app.page.getByRole('list', { name: 'Answered approvals' }).getByRole('listitem').first();
    await row.getByText('Allowed', { exact: true }).waitFor();
    expect(await row.textContent()).toMatch(/Allowed by .+, once\./);
    await row.getByRole('button', { name: 'Show details' }).click();
    const details = app.page.getByRole('dialog', { name: 'Approval details' });
    await details.getByText('Adds two numbers').waitFor();
    expect(await details.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
    await app.page.keyboard.press('Escape');
    await row.getByRole('link', { name: 'Open call' }).click();
    await app.page.getByRole('dialog', { name: 'add' }).getByText('Timeline').waitFor();
  });

  test('approvals are filtered, answered together, and found again by outcome and person', async () => {
    const deny = [client.text('s__add', { a: 1, b: 1 }), client.text('s__add', { a: 2, b: 2 })];
    const allow = client.text('s__echo', { text: 'kept' });
    await openPending();
    await button('echo', 'Allow once').waitFor();
    await waitFor(async () => (await panel('add').count()) === 2, { what: 'both calls of add' });
    await app.page.getByRole('searchbox', { name: 'Filter by tool, server or caller' }).fill('s/add');
    await panel('echo').waitFor({ state: 'detached' });
    await expectAccessible(app.page);
    await app.page.getByRole('button', { name: 'Deny all 2' }).click();
    for (const text of await Promise.all(deny)) expect(text).toContain('denied');
    await app.page.getByText('No matching approvals.').waitFor();
    await app.page.getByRole('searchbox', { name: 'Filter by tool, server or caller' }).fill('');
    await button('echo', 'Allow once').click();
    expect(await allow).toBe('kept');
    await tab('Answered').click();
    await app.page.getByRole('combobox', { name: 'Outcome' }).selectOption('Denied');
    await app.page.getByRole('searchbox', { name: 'Filter by tool, server or person' }).fill('add');
    const rows = app.page.getByRole('list', { name: 'Answered approvals' }).getByRole('listitem');
    await waitFor(async () => (await rows.count()) === 2, { what: 'the denied calls of add' });
    await tab('Pending').click();
  });

  test('an approval that is answered elsewhere disappears from every page', async () => {
    await openPending();
    const other = await app.openPage('/approvals');
    const calling = client.text('s__echo', { text: 'over there' });
    await panel('echo').waitFor();
    await other.getByRole('article', { name: 'Approval of echo' }).waitFor();
    const [id] = await pendingIds();
    await app.post(`/api/approvals/${id}/answer`, { answer: 'allow' });
    await panel('echo').waitFor({ state: 'detached' });
    await other.getByRole('article', { name: 'Approval of echo' }).waitFor({ state: 'detached' });
    expect(await calling).toBe('over there');
    await other.context().close();
  });

  test('a late answer reports the answer that counted', async () => {
    const calling = client.text('s__echo', { text: 'too late' });
    await panel('echo').waitFor();
    await app.page.route('**/api/approvals/*/answer', async (route) => {
      const [id] = await pendingIds();
      await app.post(`/api/approvals/${id}/answer`, { answer: 'deny', reason: 'not now' });
      await route.continue();
    });
    await button('echo', 'Allow once').click();
    await app.page
      .getByText(/^Already answered: Denied by/)
      .first()
      .waitFor();
    await panel('echo').waitFor({ state: 'detached' });
    await app.page.unroute('**/api/approvals/*/answer');
    expect(await calling).toContain('not now');
  });

  test('cancelling a call withdraws its approval', async () => {
    const callId = crypto.randomUUID();
    await changeTool('changing', 'target');
    const calling = app.post('/api/tools/mcp_changing_target/call', { arguments: { a: 'x', b: 'y' }, callId });
    await panel('target').waitFor();
    await app.post(`/api/calls/${callId}/cancel`);
    await panel('target').waitFor({ state: 'detached' });
    expect((await calling).status).toBe(499);
    await tab('Answered').click();
    await app.page.getByText('The call ended before it was answered.').first().waitFor();
    await tab('Pending').click();
  });

  test('an expired approval disappears, and its call ends without an answer, not as denied', async () => {
    await using hasty = await connectClient(`${app.url}/mcp/hasty`);
    const calling = hasty.text('s__echo', { text: 'quick' });
    await panel('echo').waitFor();
    await panel('echo').getByRole('timer').waitFor();
    await panel('echo').waitFor({ state: 'detached' });
    expect(await calling).toContain('no answer within');
    await tab('Answered').click();
    await app.page.getByText('Nobody answered in time. The call was not made.').first().waitFor();
    await tab('Pending').click();
  });
});

test('the calls of a script are one list that is answered at once or one by one', async () => {
  await using scripting = await connectMcp(`${app.url}/mcp/scripts`, 'modern');
  const run = (name: string) => {
    const code = `(await Promise.allSettled([1, 2, 3].map((n) => tools.s.echo({ text: '${name} ' + n })))).map(({ value, reason }) => value ?? reason.code)`;
    return scripting.client.callTool({ name: 'run_code', arguments: { code } });
  };
  const card = (count: number) => app.page.getByRole('region', { name: `A script makes ${count} call` });
  await openPending();
  const first = run('together');
  await card(3).waitFor();
  await card(3).getByText('Show the script').click();
  await card(3).getByText('Promise.allSettled').waitFor();
  await expectAccessible(app.page);
  const one = card(3).getByRole('article').filter({ hasText: 'together 2' });
  await one.getByRole('button', { name: 'Deny', exact: true }).click();
  await card(2).getByRole('button', { name: 'Allow all 2' }).click();
  expect((await first).structuredContent).toMatchObject({ result: ['together 1', 'CALL_DENIED', 'together 3'] });
  const second = run('denied');
  await card(3).getByRole('button', { name: 'Deny all 3' }).click();
  expect((await second).structuredContent).toMatchObject({ result: ['CALL_DENIED', 'CALL_DENIED', 'CALL_DENIED'] });
});

test('callers see the approvals of their calls but cannot answer them', async () => {
  await openPending();
  const key = await app.key(['read', 'call'], 'careful');
  const own = await app.openPage(`/#token=${key}`);
  await own.getByRole('link', { name: 'Approvals' }).click();
  await own.getByText('No pending approvals', { exact: true }).waitFor();
  expect(await own.getByRole('tab', { name: 'Rules' }).count()).toBe(0);
  const calling = app.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 } }, { key });
  await own.getByText('An administrator or an approver must answer this.').waitFor();
  expect(await own.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
  await button('add', 'Allow once').click();
  expect((await calling).body.text).toBe('3');
  await own.getByText('No pending approvals', { exact: true }).waitFor();
  await own.context().close();
});

describe('the answer to an approval', () => {
  test('always allowing a tool for one caller creates a rule, and calls that it allowed link to it', async () => {
    const calling = client.text('s__add', { a: 1, b: 1 });
    await chooseAnswer(panel('add'), 'Always allow this tool for this MCP client');
    expect(await calling).toBe('2');
    expect(await client.text('s__add', { a: 2, b: 2 })).toBe('4');
    await tab('Rules').click();
    const rule = app.page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
    await rule.getByText(/^add on s runs without approval for .+ while its definition is unchanged\.$/).waitFor();
    await rule.getByText('One caller').waitFor();
    expect(await rule.innerText()).toMatch(/Definition:\s*[0-9a-f]{12}/);
    expect(await rule.innerText()).toMatch(/Created by:\s*\S/);
    await expectAccessible(app.page);

    const [latest] = (await app.get('/api/calls?tool=add&limit=1')).body.calls;
    await app.goto(`/calls/${latest.id}`);
    await app.page.getByText('Allowed by a rule').first().waitFor();
    await expectAccessible(app.page);
    await app.page.getByRole('link', { name: 'Allowed by a rule' }).click();
    await app.page.getByRole('list', { name: 'Rules' }).locator('li[aria-current=true]').waitFor();
    await revokeRule('add on s');
    const again = client.text('s__add', { a: 3, b: 3 });
    await button('add', 'Allow once').click();
    expect(await again).toBe('6');
  });

  test('always allowing a server for everyone applies to all of its tools', async () => {
    const calling = client.text('s__add', { a: 1, b: 1 });
    await chooseAnswer(panel('add'), 'Always allow all tools of s for everyone');
    expect(await calling).toBe('2');
    expect(await client.text('s__echo', { text: 'hi' })).toBe('hi');
    await tab('Answered').click();
    await app.page.getByText(/always for this server and everyone\./).waitFor();
    await revokeRule('All tools on s run without approval for everyone');
  });

  test('the caller gets the reason of a denial', async () => {
    const calling = client.text('s__add', { a: 1, b: 1 });
    await chooseAnswer(panel('add'), 'Deny with a reason …');
    const form = panel('add').getByRole('form', { name: 'Deny with a reason' });
    await form.getByLabel('Reason').fill('Use the calculator');
    await form.getByRole('button', { name: 'Deny' }).click();
    expect(await calling).toContain('Use the calculator');
    await tab('Answered').click();
    await app.page.getByText('“Use the calculator”').waitFor();
    await tab('Pending').click();
  });

  test('always denying a tool denies the next call without approval', async () => {
    const calling = client.text('s__add', { a: 1, b: 1 });
    await chooseAnswer(panel('add'), 'Deny with a reason …');
    await panel('add').getByLabel('Deny later calls of add too').selectOption('Always, for everyone');
    await button('add', 'Deny always').click();
    expect(await calling).toContain('denied');
    expect(await client.text('s__add', { a: 1, b: 1 })).toContain('a remembered answer denies this tool');
    await revokeRule('add on s is denied');
  });

  test('a call with edited arguments runs with the edited ones', async () => {
    const calling = client.text('s__echo', { text: 'as asked' });
    await chooseAnswer(panel('echo'), 'Edit arguments …');
    const form = panel('echo').getByRole('form', { name: 'Edit the arguments' });
    await form.getByLabel('text').fill('as the person wants');
    await form.getByRole('button', { name: 'Allow with these arguments' }).click();
    expect(await calling).toBe('as the person wants');
    await tab('Answered').click();
    await app.page.getByText(/once, with edited arguments\./).waitFor();
    await app.page.getByRole('link', { name: 'Open call' }).first().click();
    const details = app.page.getByRole('dialog', { name: 'echo' });
    await details.getByRole('region', { name: 'Original arguments' }).getByText('as asked').waitFor();
    await details.getByRole('region', { name: 'Edited arguments' }).getByText('as the person wants').waitFor();
    await details.getByText('Approved by').waitFor();
    await expectAccessible(app.page);
    await app.goto('/approvals');
    await tab('Pending').click();
  });

  test('an approval is answered with the keyboard alone', async () => {
    const calling = client.text('s__add', { a: 4, b: 4 });
    await button('add', 'Allow once').waitFor();
    await tab(/^Pending/).focus();
    await enabled(button('add', 'Allow once')).waitFor();
    for (let presses = 0; presses < 10; presses++) {
      await app.page.keyboard.press('Tab');
      if ((await button('add', 'Allow once').and(app.page.locator(':focus')).count()) === 1) break;
    }
    await app.page.keyboard.press('Enter');
    expect(await calling).toBe('8');
  });
});

describe('changed and hostile definitions', () => {
  test('the approval of a changed tool shows the difference', async () => {
    await changeTool('changing', 'target');
    const calling = app.post('/api/tools/mcp_changing_target/call', { arguments: { a: 'x' } });
    await panel('target').getByText('The definition changed since it was accepted').waitFor();
    const changes = panel('target').getByRole('list', { name: 'Definition changes' });
    expect((await changes.innerText()).replaceAll(/\s+/g, ' ')).toContain(
      'Changed description − Before: Target, version 1 + Now: Target, version 3',
    );
    await expectAccessible(app.page);
    await chooseAnswer(panel('target'), 'Always allow this tool for everyone');
    expect((await calling).body.text).toContain('version 3');
    await revokeRule('target on changing');
  });

  test('hostile descriptions and arguments are shown as plain text [R18]', async () => {
    await using careful = await connectClient(`${app.url}/mcp/careful`);
    await changeTool('deceiving', 'trap');
    const hostile = '<img src=x onerror="document.title=\'owned\'">\u202egnp.exe \u001b[31m';
    const asked = [
      careful.text('deceiving__trap', { path: hostile, p1: 'y'.repeat(500_000) }),
      careful.text('s__echo', { text: `${hostile}${'z'.repeat(1_000_000)}` }),
    ];
    await panel('trap').waitFor();
    const text = await panel('trap').innerText();
    expect(text).toContain('<script>document.title = "owned"</script>');
    expect(text).toContain('⟨U+202E⟩');
    expect(text).toContain('De⟨U+200B⟩letes');
    expect(text).toContain('claims to be destructive');
    expect(text).toContain('<img src=x onerror=');
    expect(await panel('echo').innerText()).toContain('characters shown]');
    expect(await app.page.locator('article img').count()).toBe(0);
    expect(await app.page.title()).toBe('Approvals · Toolwharf');
    await app.page.setViewportSize({ width: 360, height: 740 });
    expect(await app.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await app.page.setViewportSize({ width: 1280, height: 800 });
    await button('trap', 'Deny').click();
    await button('echo', 'Deny').click();
    await Promise.all(asked);
  });
});

describe('a server question', () => {
  const ask = () => app.post('/api/tools/mcp_everything_trigger-elicitation-request/call', {});
  const asked = () => app.page.getByRole('region', { name: 'Server everything asks' });

  test('a server question is a form that names the server and the call, and sends the entered values', async () => {
    const calling = ask();
    await asked().getByText('Please provide inputs').waitFor();
    await asked().getByText('Do not enter passwords').waitFor();
    await asked().getByRole('link', { name: 'mcp_everything_trigger-elicitation-request' }).waitFor();
    await asked().getByLabel('String *', { exact: true }).fill('Ada Lovelace');
    await asked().getByRole('radio', { name: 'Yes' }).click();
    await asked().getByLabel('Integer').fill('7');
    await asked().getByLabel('Legacy Titled Single Select Enum').selectOption('Birds');
    await asked().getByRole('checkbox', { name: 'Piano' }).check();
    await asked().getByRole('checkbox', { name: 'Salmon' }).check();
    await expectAccessible(app.page);
    await asked().getByRole('button', { name: 'Accept' }).click();
    await asked().waitFor({ state: 'detached' });
    const answer = JSON.stringify((await calling).body.content);
    for (const part of ['Ada Lovelace', 'pet-3', 'Guitar', 'Piano', 'fish-2', 'stormy night'])
      expect(answer).toContain(part);
  });

  test('a server question shows errors at the field and rejects incomplete answers', async () => {
    const calling = ask();
    await asked().getByLabel('String *', { exact: true }).fill('Ada');
    for (const name of ['Piano', 'Violin', 'Drums']) await asked().getByRole('checkbox', { name }).check();
    await asked().getByRole('button', { name: 'Accept' }).click();
    await asked()
      .getByText(/at most 3/i)
      .last()
      .waitFor();
    await asked().getByRole('button', { name: 'Decline' }).click();
    expect(JSON.stringify((await calling).body.content)).toContain('declined');
  });

  test('a server question disappears when its call ends', async () => {
    const callId = crypto.randomUUID();
    const calling = app.post('/api/tools/mcp_everything_trigger-elicitation-request/call', { callId });
    await asked().waitFor();
    await app.post(`/api/calls/${callId}/cancel`);
    await asked().waitFor({ state: 'detached' });
    await calling;
  });

  test('a server question with a URL shows it in full and is accepted after the URL was opened', async () => {
    const url = `${app.url}/readyz?from=server`;
    const calling = app.post('/api/tools/mcp_everything_trigger-url-elicitation/call', { arguments: { url } });
    await asked().getByText(url).waitFor();
    await asked().getByText(new URL(url).host, { exact: true }).waitFor();
    expect(await asked().getByRole('button', { name: 'Accept' }).isDisabled()).toBe(true);
    const opening = app.page.waitForEvent('popup');
    await asked().getByRole('link', { name: 'Open in a new tab' }).click();
    await (await opening).close();
    await asked().getByRole('button', { name: 'Accept' }).click();
    expect((await calling).body.isError).toBe(false);
  });
});

test('every approval of these tests was answered', async () => {
  await expect.poll(async () => (await pendingIds()).length).toBe(0);
});
