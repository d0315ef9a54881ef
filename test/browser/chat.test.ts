import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGate, type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { filesystemServer, fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { chooseAnswer } from './support/approvals-page.ts';

let directory: string;
let model: ScriptedChat;
let app: TestApp;
let page: Page;

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'toolwharf-chat-two-lines-on-a-narrow-screen-')));
  await writeFile(join(directory, 'tide.txt'), 'high water is at six');
  model = await startScriptedChat([]);
  app = await startApp({
    servers: {
      files: filesystemServer(directory),
      legacy: fixture('legacy'),
      crowd: fixture('legacy', { TOOLS: '50' }),
    },
  });
  page = app.page;
});

afterAll(async () => {
  await app?.close();
  await model?.[Symbol.asyncDispose]();
  if (directory) await rm(directory, { recursive: true, force: true });
});

const readTide = () => ({ name: 'mcp_files_read_text_file', args: { path: join(directory, 'tide.txt') } });
const writeNote = (name: string, content: string) => ({
  name: 'mcp_files_write_file',
  args: { path: join(directory, name), content },
});

const answer = () => page.getByRole('article', { name: 'Answer' }).last();
const approvals = () => answer().getByRole('article', { name: /^Approval of/ });
const allow = () => approvals().first().getByRole('button', { name: 'Allow once' }).click();
const call = (tool: string) => answer().getByRole('article', { name: `Call of ${tool}` });
const message = () => page.getByRole('textbox', { name: 'Message' });

/** Whether a text of one line shows nothing of the line after it. A line that ends with an ellipsis has two boxes. */
function hidesSecondLine(shortened: Locator): Promise<boolean> {
  return shortened.evaluate((element: PageElement) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const lower = Array.from(range.getClientRects(), ({ top }) => top).filter((top, _, [first = 0]) => top > first);
    return lower.length > 0 && Math.min(...lower) >= element.getBoundingClientRect().bottom - 1;
  });
}

async function send(text: string): Promise<void> {
  await message().fill(text);
  await message().press('Enter');
}

/** Starts a conversation with an assistant by sending a message. */
async function startWith(assistant: string, text: string): Promise<string> {
  await app.load('/chat');
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: assistant });
  await send(text);
  await page.waitForURL(/\/chat\/.+/);
  return new URL(page.url()).pathname.slice('/chat/'.length);
}

/** Adds an assistant with the scripted model. */
async function addAssistant(name: string, settings: object = {}): Promise<void> {
  const admin = { key: app.adminToken };
  const { body } = await app.get('/api/providers', admin);
  const stored = body.providers.find(({ kind }: { kind: string }) => kind === 'openai-compatible');
  const input = { name: 'Harbour', kind: 'openai-compatible', baseUrl: model.url };
  const provider = stored ?? (await app.post('/api/providers', input, admin)).body;
  const { status } = await app.put(
    `/api/assistants/${randomUUID()}`,
    { name, model: { provider: provider.id, model: 'scripted' }, serverIds: ['files', 'legacy'], ...settings },
    admin,
  );
  expect(status).toBe(200);
}

test('the demo assistant works without a key: a call is allowed and its result shown [R12, R14]', async () => {
  await app.load('/chat');
  await page.getByText('This assistant is a scripted demo').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Which folders may you use?' }).click();
  await allow();
  await call('list_allowed_directories').getByText('done', { exact: true }).waitFor();
  await answer().getByText(directory).first().waitFor();
  await page.getByText('Demo (scripted)').waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  const preview = call('list_allowed_directories').locator('p', { hasText: 'Allowed directories:' });
  await expect.poll(() => hidesSecondLine(preview)).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await answer()
    .getByText(/about .* tokens in/)
    .waitFor();
});

test('a tool call is approved, runs, shows its result, and the model continues [R12, R14, R16]', async () => {
  await addAssistant('Pilot');
  model.push({ text: 'Let me look.', calls: [readTide()] }, { text: 'High water is **at six**.' });
  await startWith('Pilot', 'When is high water?');
  await approvals().getByText(join(directory, 'tide.txt')).waitFor();
  await call('read_text_file').getByText('needs your approval').waitFor();
  await expectAccessible(page);
  await allow();
  await approvals().waitFor({ state: 'detached' });
  await page.locator('textarea[aria-label="Message"]:focus').waitFor();
  await call('read_text_file').getByText('done', { exact: true }).waitFor();
  await call('read_text_file').getByText('high water is at six').waitFor();
  await answer().getByText('High water is at six.').waitFor();
  expect(model.requests.at(-1)?.last).toContain('high water is at six');

  await call('read_text_file').getByRole('button', { expanded: false }).click();
  await call('read_text_file').getByText('Result').waitFor();
  await call('read_text_file').getByRole('link', { name: 'View call details' }).waitFor();
  await answer().getByText('20 tokens in, 10 out').waitFor();
});

test('a tool error is shown, reaches the model, and the model continues [R15]', async () => {
  const path = join(directory, 'missing.txt');
  model.push({ calls: [{ name: 'mcp_files_read_text_file', args: { path } }] }, { text: 'There is no such file.' });
  await send('Read what is not there');
  await allow();
  await call('read_text_file').getByText('failed', { exact: true }).waitFor();
  await call('read_text_file')
    .getByText(/ENOENT/)
    .waitFor();
  await answer().getByText('There is no such file.').waitFor();
  expect(model.requests.at(-1)?.last).toContain('ENOENT');
});

test('a denial and its reason reach the model [R14]', async () => {
  model.push({ calls: [writeNote('never.txt', 'x')] }, { text: 'Then I will not.' });
  await send('Write something');
  await chooseAnswer(approvals(), 'Deny with a reason …');
  await approvals().getByRole('textbox', { name: 'Reason' }).fill('not on my disk');
  await approvals().getByRole('button', { name: 'Deny', exact: true }).click();
  await call('write_file').getByText('denied', { exact: true }).waitFor();
  await answer().getByText('Then I will not.').waitFor();
  expect(model.requests.at(-1)?.last).toContain('not on my disk');
  await expect(readFile(join(directory, 'never.txt'))).rejects.toThrow('ENOENT');
});

test('arguments can be edited before the call runs [R14]', async () => {
  model.push({ calls: [writeNote('edited.txt', 'from the model')] }, { text: 'Written.' });
  await send('Write a note');
  await chooseAnswer(approvals(), 'Edit arguments …');
  const content = approvals().getByRole('textbox', { name: 'content' });
  await content.fill('from the person');
  await approvals().getByRole('button', { name: 'Allow with these arguments' }).click();
  await answer().getByText('Written.').waitFor();
  expect(await readFile(join(directory, 'edited.txt'), 'utf8')).toBe('from the person');
});

test('parallel calls are approved one by one, in the order in which the model made them [R12, R14]', async () => {
  const calls = [writeNote('one.txt', '1'), writeNote('two.txt', '2'), writeNote('three.txt', '3')];
  model.push({ calls }, { text: 'All settled.' });
  await send('Write three notes');
  await waitFor(async () => (await approvals().count()) === 3, { what: 'the approvals' });
  const files = (await approvals().allInnerTexts()).map((text) => /\w+(?=\.txt)/.exec(text)?.[0]);
  expect(files).toEqual(['one', 'two', 'three']);
  await expectAccessible(page);
  await allow();
  await waitFor(async () => (await approvals().count()) === 2, { what: 'the answered approval to go' });
  await allow();
  await waitFor(async () => (await approvals().count()) === 1, { what: 'the answered approval to go' });
  await approvals().getByRole('button', { name: 'Deny', exact: true }).click();
  await answer().getByText('All settled.').waitFor();
  expect(await readFile(join(directory, 'one.txt'), 'utf8')).toBe('1');
  expect(await readFile(join(directory, 'two.txt'), 'utf8')).toBe('2');
  await expect(readFile(join(directory, 'three.txt'))).rejects.toThrow('ENOENT');
});

test('all pending calls of an answer are allowed together, and their arguments are in view [R14]', async () => {
  const calls = [writeNote('four.txt', '4'), writeNote('five.txt', '5')];
  model.push({ calls }, { text: 'Both written.' });
  await send('Write two notes');
  await answer().getByText('2 calls await your approval.').waitFor();
  await approvals()
    .getByText(/four\.txt/)
    .waitFor();
  await approvals()
    .getByText(/five\.txt/)
    .waitFor();
  await answer().getByRole('button', { name: 'Allow all 2', exact: true }).click();
  await answer().getByText('Both written.').waitFor();
  expect(await readFile(join(directory, 'four.txt'), 'utf8')).toBe('4');
  expect(await readFile(join(directory, 'five.txt'), 'utf8')).toBe('5');
});

test('calls are allowed together for the conversation, and later ones run by rule [R14]', async () => {
  const calls = [writeNote('six.txt', '6'), readTide()];
  model.push({ calls }, { text: 'Two done.' }, { calls: [writeNote('seven.txt', '7')] }, { text: 'One more.' });
  await send('Write and read');
  await answer().getByText('2 calls await your approval.').waitFor();
  await expectAccessible(page);
  await answer().getByRole('button', { name: 'Allow all 2 for this conversation' }).click();
  await answer().getByText('Two done.').waitFor();
  await send('Once more');
  await answer().getByText('One more.').waitFor();
  await call('write_file').getByText('by rule').waitFor();
  await call('write_file').getByRole('button', { expanded: false }).click();
  await call('write_file').getByRole('link', { name: 'allowed by a rule' }).click();
  await page
    .getByText(/write_file/)
    .first()
    .waitFor();
  await page.goBack();
  await message().waitFor();
});

test('the approval mode auto asks nothing, and trusted-only asks for untrusted tools [R16]', async () => {
  await addAssistant('Swift', { toolApproval: 'auto' });
  model.push({ calls: [writeNote('auto.txt', 'auto')] }, { text: 'Done at once.' });
  await startWith('Swift', 'Write it');
  await answer().getByText('Done at once.').waitFor();
  await call('write_file').getByText('done', { exact: true }).waitFor();
  await page.getByText('runs tools without approval').waitFor();

  await addAssistant('Careful', { toolApproval: 'trusted-only', trustedTools: ['mcp_files_read_text_file'] });
  model.push({ calls: [readTide(), writeNote('trusted.txt', 'x')] }, { text: 'Both are done.' });
  await startWith('Careful', 'Read and write');
  await approvals().getByText(join(directory, 'trusted.txt')).waitFor();
  await call('read_text_file').getByText('done', { exact: true }).waitFor();
  expect(await approvals().count()).toBe(1);
  await allow();
  await answer().getByText('Both are done.').waitFor();
});

test('an answer can be stopped, continued and retried, and a message can be edited [R14]', async () => {
  const gate = createGate();
  model.push({ text: 'This takes for ever', hold: gate });
  await startWith('Pilot', 'Tell me a story');
  await answer().getByText('This takes for ever').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await answer().getByText('You stopped this answer.').waitFor();

  model.push({ text: 'And it ended well.' });
  await answer().getByRole('button', { name: 'Continue' }).click();
  await answer().getByText('And it ended well.').waitFor();
  await answer().getByText('This takes for ever').waitFor();

  model.push({ text: 'Another story.' });
  await answer().getByRole('button', { name: 'Retry answer' }).click();
  await answer().getByText('Another story.').waitFor();
  expect(await answer().getByText('This takes for ever').count()).toBe(0);

  model.push({ text: 'A poem, then.' });
  await page.getByRole('button', { name: 'Edit message' }).click();
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Tell me a poem');
  await page.getByRole('button', { name: 'Send again' }).click();
  await answer().getByText('A poem, then.').waitFor();
  const messages = page.getByRole('article', { name: 'Your message' });
  expect(await messages.allInnerTexts()).toEqual([expect.stringMatching(/^Tell me a poem\s+2 of 2$/)]);
  expect(model.requests.at(-1)?.last).toBe('Tell me a poem');

  const held = createGate();
  model.push({ text: 'On and on', hold: held });
  await send('And with a key?');
  await answer().getByText('On and on').waitFor();
  await page.keyboard.press('Escape');
  await answer().getByText('You stopped this answer.').waitFor();
});

test('a model error is shown, and the answer can be retried', async () => {
  model.push({ status: 401, error: 'Incorrect API key provided' });
  await send('Are you there?');
  await answer().getByText('The answer failed').waitFor();
  model.push({ text: 'Yes, now.' });
  await answer().getByRole('button', { name: 'Retry' }).click();
  await answer().getByText('Yes, now.').waitFor();
});

test('sending a message denies the pending call, as a hint announces [R14]', async () => {
  model.push({ calls: [writeNote('dropped.txt', 'x')] }, { text: 'Something else it is.' });
  await send('Write it down');
  await page.getByText('Sending a message denies the pending call').waitFor();
  await send('No, do something else');
  await answer().getByText('Something else it is.').waitFor();
  await page.getByRole('article', { name: 'Call of write_file' }).getByText('denied', { exact: true }).waitFor();
  await expect(readFile(join(directory, 'dropped.txt'))).rejects.toThrow('ENOENT');
});

test('reloading the page during an answer or an approval loses nothing [R14]', async () => {
  const gate = createGate();
  model.push({ text: 'The first half', hold: gate, calls: [readTide()] }, { text: 'and the second.' });
  await startWith('Pilot', 'In two halves, please');
  await answer().getByText('The first half').waitFor();
  await message().fill('a thought for later');
  await page.reload();
  await answer().getByText('The first half').waitFor();
  expect(await message().inputValue()).toBe('a thought for later');
  gate.open();
  await approvals().waitFor();
  await page.reload();
  await allow();
  await answer().getByText('and the second.').waitFor();
});

test('an approval that is answered elsewhere disappears from every window [R14]', async () => {
  model.push({ calls: [readTide()] }, { text: 'Somebody allowed it.' });
  await send('Once more');
  await approvals().waitFor();
  const other = await app.openPage(new URL(page.url()).pathname);
  await other.getByRole('article', { name: /^Approval of/ }).waitFor();
  // The windows do not poll: events update them.
  const { body } = await app.get('/api/approvals?status=pending', { key: app.adminToken });
  await app.post(`/api/approvals/${body.approvals[0].id}/answer`, { answer: 'allow' }, { key: app.adminToken });
  await approvals().waitFor({ state: 'detached' });
  await other.getByRole('article', { name: /^Approval of/ }).waitFor({ state: 'detached' });
  await other.getByRole('status').getByText('Answer: Somebody allowed it.').waitFor({ state: 'attached' });
  await answer().getByText('Somebody allowed it.').waitFor();
  await other.close();
});

test('elicitation, sampling and progress of a server are shown in the chat [R12]', async () => {
  await addAssistant('Host', { toolApproval: 'auto' });
  model.push({ calls: [{ name: 'mcp_legacy_ask', args: { question: 'Which berth?' } }] }, { text: 'Berth seven.' });
  await startWith('Host', 'Ask me');
  const form = call('ask').getByRole('region', { name: 'Server legacy asks' });
  await form.getByText('Which berth?').waitFor();
  await expectAccessible(page);
  await form.getByRole('textbox').first().fill('seven');
  await form.getByRole('button', { name: 'Accept' }).click();
  await answer().getByText('Berth seven.').waitFor();
  expect(model.requests.at(-1)?.last).toContain('seven');

  const calls = [{ name: 'mcp_legacy_sample', args: { prompt: 'A line about boats' } }];
  model.push({ calls }, { text: 'Boats float.' }, { text: 'The server has its line.' });
  await send('Let the server ask you');
  await call('sample').getByRole('region', { name: 'Server legacy asks' }).getByText('A line about boats').waitFor();
  await call('sample').getByRole('button', { name: 'Allow' }).click();
  await answer().getByText('The server has its line.').waitFor();
  expect(model.requests.at(-1)?.last).toContain('Boats float.');

  model.push({ calls: [{ name: 'mcp_legacy_sleep', args: { ms: 60_000 } }] });
  await send('Take your time');
  await call('sleep').getByText('running', { exact: true }).waitFor();
  await call('sleep').getByRole('progressbar').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await call('sleep').getByText('cancelled', { exact: true }).waitFor();
});

test('a conversation continues with another assistant, and too many tools raise a warning', async () => {
  await addAssistant('Crowded', { serverIds: ['crowd'] });
  await page.reload();
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'Crowded' });
  await page.getByText(/50 tools, about .* tokens/).waitFor();
  await page.getByText('Models choose badly among 50 tools').waitFor();
  await page.reload();
  model.push({ text: 'I am another one.' });
  await send('Who are you?');
  await answer().getByText('I am another one.').waitFor();
  expect(model.requests.at(-1)?.tools).toHaveLength(50);
});

test('conversations are listed, renamed and deleted, also on a narrow screen', async () => {
  const title = 'A poem of the sea';
  await page.getByRole('button', { name: 'Actions for this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill(title);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: title }).waitFor();

  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Conversations' }).click();
  const list = page.getByRole('dialog', { name: 'Conversations' });
  await list.getByRole('link', { name: title }).waitFor();
  await expectAccessible(page);
  await list.getByRole('link', { name: 'In two halves, please' }).click();
  await list.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'In two halves, please' }).waitFor();
  expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('button', { name: `Actions for ${title}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: title }).waitFor({ state: 'detached' });
  await app.load('/chat/00000000-0000-4000-8000-000000000000');
  await page.getByText('Conversation not found').waitFor();
});
