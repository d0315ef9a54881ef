import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { everything, fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { approvalsPage } from './support/approvals-page.ts';

const add = (a: number, b: number) => ({ name: 'mcp_s_add', args: { a, b } });

let app: TestApp;
const { tab, pendingIds, openPending, revokeRule } = approvalsPage(() => app);

beforeAll(async () => {
  app = await startApp({
    servers: { s: fixture('legacy'), everything: everything('stdio') },
    profiles: { careful: { approval: { mode: 'always-ask' } } },
  });
});
afterAll(() => app?.close());

const enabled = (locator: Locator) => locator.and(app.page.locator(':enabled'));

const dialog = () => app.page.getByRole('dialog', { name: 'Allow this call?' });
let model: ScriptedChat;

beforeAll(async () => {
  const admin = { key: app.adminToken };
  model = await startScriptedChat([]);
  const provider = { name: 'Scripted', kind: 'openai-compatible', baseUrl: model.url };
  const { body } = await app.post('/api/providers', provider, admin);
  const assistant = {
    name: 'Harbour pilot',
    model: { provider: body.id, model: 'scripted' },
    serverIds: ['s', 'everything'],
  };
  await app.put(`/api/assistants/${assistantId}`, assistant, admin);
});
afterAll(() => model?.[Symbol.asyncDispose]());

const assistantId = crypto.randomUUID();

// Presses a key as each approval appears, like a person who is about to type. Timers fire in order, however busy the
// machine is.
const typeIntoApprovals = `
  let previous = null;
  new MutationObserver(() => {
    const approval = document.querySelector('[role="dialog"] article');
    if (approval === previous) return;
    previous = approval;
    for (const delay of [0, 50, 100])
      setTimeout(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true })), delay);
  }).observe(document, { childList: true, subtree: true });
`;

/** Opens a new conversation and sends a message in it. */
async function startConversation(text: string, script = ''): Promise<string> {
  const { body } = await app.post('/api/conversations', { assistantId });
  await app.goto(`/chat/${body.id}`);
  await app.page.getByRole('textbox', { name: 'Message' }).waitFor();
  await app.page.evaluate(script);
  await app.post(`/api/conversations/${body.id}/messages`, { text });
  return body.id;
}

test('several approvals are answered one by one with single keys, but not with keys that were meant for something else', async () => {
  model.push({ calls: [add(1, 2), add(3, 4)] }, { text: 'One of them is three.' });
  await startConversation('Add some numbers', typeIntoApprovals);
  await dialog().getByText('1 of 2').waitFor();
  expect(await dialog().locator('button:focus').count()).toBe(0);
  await enabled(dialog().getByRole('button', { name: 'Allow once' })).waitFor();
  expect(await pendingIds()).toHaveLength(2);
  await expectAccessible(app.page);

  await app.page.keyboard.press('ArrowRight');
  await dialog().getByText('2 of 2').waitFor();
  await app.page.keyboard.press('ArrowLeft');
  await dialog().getByText('1 of 2').waitFor();
  await enabled(dialog().getByRole('button', { name: 'Allow once' })).waitFor();
  await app.page.keyboard.press('a');
  await dialog().getByText('1 of 2').waitFor({ state: 'detached' });
  expect(await pendingIds()).toHaveLength(1);
  await enabled(dialog().getByRole('button', { name: 'Deny', exact: true })).waitFor();
  expect(await pendingIds()).toHaveLength(1);
  await app.page.keyboard.press('d');
  await dialog().waitFor({ state: 'detached' });
  await app.page.getByText('One of them is three.', { exact: true }).waitFor();
  const results = JSON.stringify(model.requests.at(-1)?.messages);
  expect(results).toContain('denied');
});

test('shortcuts are off while a person types a reason', async () => {
  model.push({ calls: [add(5, 6)] }, { text: 'Then not.' });
  await startConversation('Add more');
  await dialog().getByRole('button', { name: 'Deny with a reason …' }).click();
  await app.page.keyboard.type('add nothing, ada');
  expect(await dialog().getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('add nothing, ada');
  await dialog().getByRole('button', { name: 'Deny', exact: true }).click();
  await app.page.getByText('Then not.', { exact: true }).waitFor();
  expect(model.requests.at(-1)?.last).toContain('add nothing, ada');
});

test('a rule for a conversation applies to that conversation only', async () => {
  model.push({ calls: [add(1, 1)] }, { calls: [add(2, 2)] }, { text: 'Two and four.' });
  const conversation = await startConversation('Add and add');
  await dialog().getByText('Harbour pilot').waitFor();
  await enabled(dialog().getByRole('button', { name: 'Always allow this tool for this conversation' })).waitFor();
  await app.page.keyboard.press('c');
  await app.page.getByText('Two and four.', { exact: true }).waitFor();
  model.push({ calls: [add(2, 2)] }, { text: 'Four.' });
  await startConversation('Add');
  await dialog().getByRole('button', { name: 'Deny', exact: true }).click();
  await app.page.getByText('Four.', { exact: true }).waitFor();

  await openPending();
  await tab('Rules').click();
  const rule = app.page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
  expect(await rule.getByRole('link', { name: 'Open conversation' }).getAttribute('href')).toBe(
    `/chat/${conversation}`,
  );
  await revokeRule('in one conversation');
});

test('a sampling request of a server is shown before it reaches the model', async () => {
  const sampling = {
    name: 'mcp_everything_trigger-sampling-request',
    args: { prompt: 'Name a boat', maxTokens: 77 },
  };
  model.push({ calls: [sampling] }, { text: 'The Dory' }, { text: 'It is named.' });
  const conversation = await startConversation('Name it');
  await dialog().getByRole('button', { name: 'Allow once' }).click();
  await openPending();
  const asked = app.page.getByRole('region', { name: 'Server everything asks' });
  await asked.getByText('Name a boat').waitFor();
  await asked.getByText('at most 77 for the reply').waitFor();
  const before = model.requests.length;
  await expectAccessible(app.page);
  expect(model.requests).toHaveLength(before);
  await asked.getByRole('button', { name: 'Allow' }).click();
  await asked.waitFor({ state: 'detached' });
  await app.goto(`/chat/${conversation}`);
  await app.page.getByText('It is named.', { exact: true }).waitFor();
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('The Dory');
});

test('the keys of the terminal answer the approval that has the focus, and no other', async () => {
  await using client = await connectClient(`${app.url}/mcp/careful`);
  const panel = (tool: string) => app.page.getByRole('article', { name: `Approval of ${tool}`, exact: true });
  await openPending();
  const adding = client.text('s__add', { a: 5, b: 5 });
  await panel('add').waitFor();
  const echoing = client.text('s__echo', { text: 'later' });
  await enabled(panel('echo').getByRole('button', { name: 'Allow once' })).waitFor();
  await tab(/^Pending/).focus();
  await app.page.keyboard.press('t');
  // The newest approval is first.
  await app.page.getByRole('heading', { level: 1 }).click();
  await app.page.keyboard.press('ArrowRight');
  await panel('echo').and(app.page.locator(':focus')).waitFor();
  await app.page.keyboard.press('ArrowRight');
  await panel('add').and(app.page.locator(':focus')).waitFor();
  expect(await pendingIds()).toHaveLength(2);
  await expectAccessible(app.page);
  await app.page.keyboard.press('t');
  expect(await adding).toBe('10');
  await app.page.getByText('Remembered. Revoke the rule', { exact: false }).first().waitFor();
  expect(await client.text('s__add', { a: 6, b: 6 })).toBe('12');
  await app.page.keyboard.press('ArrowRight');
  await panel('echo').and(app.page.locator(':focus')).waitFor();
  await app.page.keyboard.press('d');
  expect(await echoing).toContain('denied');
  const { rules } = (await app.get('/api/rules', { key: app.adminToken })).body;
  expect(rules).toMatchObject([{ audience: 'caller', tool: 'add' }]);
  await app.page.keyboard.press('?');
  const list = app.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const key of ['A', 'C', 'T', 'S', 'E', 'D']) await list.getByText(key, { exact: true }).waitFor();
  await list.getByText('Approval: always allow the tool for this caller').waitFor();
  await app.page.keyboard.press('Escape');
  await revokeRule('add on s');
});
