import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { everything, fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { approvalsPage, chooseAnswer } from './support/approvals-page.ts';

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

const approvals = () =>
  app.page
    .getByRole('article', { name: 'Answer' })
    .last()
    .getByRole('article', { name: /^Approval of/ });
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
    const approval = document.querySelector('[data-approval]');
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
  await waitFor(async () => (await approvals().count()) === 2, { what: 'the approvals' });
  await enabled(approvals().first().getByRole('button', { name: 'Allow once' })).waitFor();
  expect(await pendingIds()).toHaveLength(2);
  await expectAccessible(app.page);

  // The focus moves to an approval once the person does not type, and the keys answer that one.
  await approvals().first().and(app.page.locator(':focus')).waitFor();
  await app.page.keyboard.press('a');
  await waitFor(async () => (await pendingIds()).length === 1, { what: 'the first answer' });
  await app.page.keyboard.press('a');
  await approvals().and(app.page.locator(':focus')).waitFor();
  expect(await pendingIds()).toHaveLength(1);
  await app.page.keyboard.press('d');
  await app.page.getByText('One of them is three.', { exact: true }).waitFor();
  await app.page.getByRole('textbox', { name: 'Message' }).and(app.page.locator(':focus')).waitFor();
  const results = JSON.stringify(model.requests.at(-1)?.messages);
  expect(results).toContain('denied');
});

test('shortcuts are off while a person types a reason', async () => {
  model.push({ calls: [add(5, 6)] }, { text: 'Then not.' });
  await startConversation('Add more');
  await chooseAnswer(approvals(), 'Deny with a reason …');
  await app.page.keyboard.type('add nothing, ada');
  expect(await approvals().getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('add nothing, ada');
  await approvals().getByRole('button', { name: 'Deny', exact: true }).click();
  await app.page.getByText('Then not.', { exact: true }).waitFor();
  expect(model.requests.at(-1)?.last).toContain('add nothing, ada');
});

test('a rule for a conversation applies to that conversation only', async () => {
  model.push({ calls: [add(1, 1)] }, { calls: [add(2, 2)] }, { text: 'Two and four.' });
  const conversation = await startConversation('Add and add');
  await approvals().and(app.page.locator(':focus')).waitFor();
  await app.page.keyboard.press('c');
  await app.page.getByText('Two and four.', { exact: true }).waitFor();
  model.push({ calls: [add(2, 2)] }, { text: 'Four.' });
  await startConversation('Add');
  await approvals().getByRole('button', { name: 'Deny', exact: true }).click();
  await app.page.getByText('Four.', { exact: true }).waitFor();

  await openPending();
  await tab('Rules').click();
  const rule = app.page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
  expect(await rule.getByRole('link', { name: 'Open conversation' }).getAttribute('href')).toBe(
    `/chat/${conversation}`,
  );
  await revokeRule('in one conversation');
});

test('a remembered answer is taken back where it was given, and on other pages approvals open in a dialog', async () => {
  model.push({ calls: [add(7, 7)] }, { text: 'Fourteen.' }, { calls: [add(8, 8)] }, { text: 'Sixteen.' });
  const conversation = await startConversation('Add seven and seven');
  await chooseAnswer(approvals(), 'Always allow this tool for this conversation');
  await app.page.getByText('Fourteen.', { exact: true }).waitFor();
  const card = app.page.getByRole('article', { name: 'Call of add' });
  await card.getByText('You allowed add for this conversation.').waitFor();
  await expectAccessible(app.page);
  await card.getByRole('button', { name: 'Undo: ask again about add' }).click();
  await card.getByText('You allowed add for this conversation.').waitFor({ state: 'detached' });
  expect((await app.get('/api/rules', { key: app.adminToken })).body.rules).toEqual([]);

  await app.goto('/servers');
  await app.post(`/api/conversations/${conversation}/messages`, { text: 'Add eight and eight' });
  const banner = app.page.getByRole('region', { name: 'Pending approvals' });
  await banner.getByText('A call of s/add awaits your approval.').waitFor();
  await app.page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  await expectAccessible(app.page);
  await banner.getByRole('button', { name: 'Review' }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Allow this call?' });
  await dialog.getByRole('button', { name: 'Allow once' }).click();
  await dialog.waitFor({ state: 'detached' });
  await banner.waitFor({ state: 'detached' });
  await app.goto(`/chat/${conversation}`);
  await app.page.getByText('Sixteen.', { exact: true }).waitFor();
});

test('a sampling request of a server is shown before it reaches the model', async () => {
  const sampling = {
    name: 'mcp_everything_trigger-sampling-request',
    args: { prompt: 'Name a boat', maxTokens: 77 },
  };
  model.push({ calls: [sampling] }, { text: 'The Dory' }, { text: 'It is named.' });
  const conversation = await startConversation('Name it');
  await approvals().getByRole('button', { name: 'Allow once' }).click();
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
  // The oldest approval is first.
  await app.page.getByRole('heading', { level: 1 }).click();
  await app.page.keyboard.press('ArrowRight');
  await panel('add').and(app.page.locator(':focus')).waitFor();
  await app.page.keyboard.press('ArrowRight');
  await panel('echo').and(app.page.locator(':focus')).waitFor();
  await app.page.keyboard.press('ArrowLeft');
  await panel('add').and(app.page.locator(':focus')).waitFor();
  expect(await pendingIds()).toHaveLength(2);
  await expectAccessible(app.page);
  await app.page.keyboard.press('t');
  expect(await adding).toBe('10');
  await app.page.getByText('You allowed add for this MCP client.').first().waitFor();
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
