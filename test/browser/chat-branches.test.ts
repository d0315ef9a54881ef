import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGate } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;
let assistant: ScriptedAssistant;

beforeAll(async () => {
  app = await startApp({ servers: { files: fixture('legacy') } });
  page = app.page;
  assistant = await addScriptedAssistant(app, [], { name: 'Pilot' });
});

afterAll(async () => {
  await app?.close();
  await assistant?.[Symbol.asyncDispose]();
});

const answer = (on: Page = page) => on.getByRole('article', { name: 'Answer' }).last();
const question = () => page.getByRole('article', { name: 'Your message' }).last();
const message = () => page.getByRole('textbox', { name: 'Message' });

async function send(text: string): Promise<void> {
  await message().fill(text);
  await message().press('Enter');
}

/** Starts a conversation with the scripted assistant and returns its id. */
async function start(text: string): Promise<string> {
  await app.goto('/chat');
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'Pilot' });
  await send(text);
  await page.waitForURL(/\/chat\/.+/);
  return new URL(page.url()).pathname.slice('/chat/'.length);
}

/** A conversation with one answer, made over REST. */
async function converse(text: string, reply: string): Promise<string> {
  assistant.model.push({ text: reply });
  const { id, path } = await assistant.begin();
  await app.post(`${path}/messages`, { text });
  await answerIn(app, path);
  return id;
}

test('a retried answer keeps its earlier version, and the person switches between them', async () => {
  assistant.model.push({ text: 'The first story.' }, { text: 'The second story.' }, { text: 'After the first.' });
  await start('Tell me a story');
  await answer().getByText('The first story.').waitFor();
  await answer().getByRole('button', { name: 'Retry answer' }).click();
  await answer().getByText('The second story.').waitFor();
  await answer().getByText('2 of 2').waitFor();
  await expectAccessible(page);
  await answer().getByRole('button', { name: 'Previous version' }).click();
  await answer().getByText('The first story.').waitFor();
  await answer().getByText('1 of 2').waitFor();
  await send('Go on');
  await answer().getByText('After the first.').waitFor();
  const sent = JSON.stringify(assistant.model.requests.at(-1)?.messages);
  expect(sent).toContain('The first story.');
  expect(sent).not.toContain('The second story.');

  await page.reload();
  await answer().getByText('After the first.').waitFor();
  await page.getByRole('button', { name: 'Next version' }).click();
  await answer().getByText('The second story.').waitFor();
  expect(await page.getByText('After the first.').count()).toBe(0);
});

test('an edited message starts a branch, and the old branch can be selected again', async () => {
  assistant.model.push({ text: 'A storm.' }, { text: 'A calm.' });
  await start('What comes after wind?');
  await answer().getByText('A storm.').waitFor();
  await question().getByRole('button', { name: 'Edit message' }).click();
  await page.getByText('The earlier version stays.').waitFor();
  await page.getByRole('textbox', { name: 'Edit message' }).fill('What comes after rain?');
  await page.getByRole('button', { name: 'Send again' }).click();
  await answer().getByText('A calm.').waitFor();
  await question().getByRole('button', { name: 'Previous version' }).click();
  await question().getByText('What comes after wind?').waitFor();
  await answer().getByText('A storm.').waitFor();
});

test('the search finds conversations in spite of typos and opens the message, in any branch', async () => {
  const id = await converse('Where do we moor?', 'At the Lighthouse pier.');
  await converse('Anything else?', 'Nothing at all.');
  const path = `/api/conversations/${id}`;
  assistant.model.push({ text: 'At the fish market.' });
  const { messages } = (await app.get(path)).body;
  await app.post(`${path}/messages/${messages[1].id}/retry`);
  await answerIn(app, path);

  await app.goto('/chat');
  const field = page.getByRole('searchbox', { name: 'Search conversations' });
  await field.fill('lighthuose');
  const results = page.getByRole('navigation', { name: 'Search results' });
  await results.getByText('Where do we moor?').waitFor();
  expect(await results.locator('mark').allInnerTexts()).toEqual(['Lighthouse']);
  await page.getByText('1 conversation found').waitFor();
  await expectAccessible(page);
  await results.getByRole('link', { name: /Lighthouse/ }).click();
  await answer().getByText('At the Lighthouse pier.').waitFor();
  await answer().getByText('1 of 2').waitFor();
  // The person can leave the branch that the search selected.
  await answer().getByRole('button', { name: 'Next version' }).click();
  await answer().getByText('At the fish market.').waitFor();

  await field.fill('submarine');
  await page.getByText('No conversation contains “submarine”.').waitFor();
  await field.press('Escape');
  await page.getByRole('navigation', { name: 'Conversations' }).getByText('Anything else?').waitFor();
});

test('a conversation is exported as Markdown and as JSON', async () => {
  const id = await converse('Which way?', 'North.');
  await app.goto(`/chat/${id}`);
  await answer().getByText('North.').waitFor();
  const read = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for this conversation' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item }).click(),
    ]);
    return { name: download.suggestedFilename(), content: await readFile(await download.path(), 'utf8') };
  };
  const markdown = await read('Export as Markdown');
  expect(markdown.name).toBe('Which-way-.md');
  expect(markdown.content).toContain('## You\n\nWhich way?');
  const json = await read('Export as JSON');
  expect(JSON.parse(json.content).messages).toHaveLength(2);
});

test('a cost is shown for each answer and for the conversation, only if prices are configured', async () => {
  await app.goto(`/chat/${await converse('How much?', 'It is free.')}`);
  await answer().getByText('10 tokens in, 5 out').waitFor();
  expect(await page.getByText('$').count()).toBe(0);
  const model = { provider: assistant.provider, model: 'scripted' };
  await app.put('/api/model-settings', { ...model, inputPrice: 100, outputPrice: 200 });
  assistant.model.push({ text: 'Now it costs.' });
  await send('And now?');
  await answer().getByText('Now it costs.').waitFor();
  await answer().getByText('$0.002', { exact: true }).waitFor();
  await page.getByText(/20 tokens in, 10 out · \$0.002 · /).waitFor();
  await app.put('/api/model-settings', model);
});

test('an answer continues after its tab is closed, and a new tab shows it running', async () => {
  const [gate, end] = [createGate(), createGate()];
  assistant.model.push({ text: 'It begins,', hold: gate, calls: [{ name: 'mcp_files_add', args: { a: 20, b: 22 } }] });
  assistant.model.push({ text: 'and it goes on', hold: end });
  const id = await start('Take your time');
  await answer().getByText('It begins,').waitFor();
  await page.goto('about:blank');
  gate.open();
  const { id: approval } = (await waitFor(
    async () => (await app.get('/api/approvals?status=pending')).body.approvals[0],
    { what: 'the approval' },
  )) as { id: string };
  await app.post(`/api/approvals/${approval}/answer`, { answer: 'allow' });
  await end.reached;

  const other = await app.openPage(`/chat/${id}`);
  await answer(other).getByText('and it goes on').waitFor();
  await answer(other).getByText('Writing …').waitFor();
  await other.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await other.close();
  end.open();
  await answerIn(app, `/api/conversations/${id}`);
  await app.goto(`/chat/${id}`);
  await answer().getByRole('article', { name: 'Call of add' }).getByText('42').first().waitFor();
  await answer().getByRole('button', { name: 'Retry answer' }).waitFor();
});

test('a version that is gone or unknown in the address changes nothing', async () => {
  const id = await converse('Still here?', 'Still here.');
  await app.goto(`/chat/${id}?message=${randomUUID()}`);
  await answer().getByText('Still here.').waitFor();
  await page
    .getByText(/^There is no message/)
    .first()
    .waitFor();
});

test('an assistant that somebody else adds can be chosen on a page that is open', async () => {
  await app.goto('/chat');
  const picker = page.getByRole('combobox', { name: 'Assistant' });
  await picker.selectOption({ label: 'Pilot' });
  const added = { name: 'Navigator', model: { provider: assistant.provider, model: 'scripted' } };
  expect((await app.put(`/api/assistants/${randomUUID()}`, added)).status).toBe(200);
  await picker.selectOption({ label: 'Navigator' });
});
