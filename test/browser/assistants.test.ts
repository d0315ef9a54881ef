import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ChatRequest,
  type ScriptedChat,
  type ScriptedTurn,
  startScriptedChat,
} from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

const hostileModel = '<img src=x onerror="document.title=1">\u202e';
let app: TestApp;
let models: ScriptedChat;

beforeAll(async () => {
  models = await startScriptedChat(answer, { models: ['scripted', 'scripted-large', hostileModel] });
  app = await startApp({
    servers: {
      notes: fixture('legacy'),
      many: fixture('modern', { TOOLS: '45' }),
      broken: fixture('crash-on-start'),
    },
    gateway: { allowPrograms: true },
  });
  await app.post('/api/providers', { name: 'House models', kind: 'openai-compatible', baseUrl: models.url });
});

afterAll(async () => {
  await app.close();
  await models[Symbol.asyncDispose]();
});

test('the list shows the demo assistant with its servers, tools and approval mode [R8]', async () => {
  const { page } = app;
  await app.load('/assistants');
  const row = page.getByRole('listitem').filter({ hasText: 'Demo assistant' });
  await row.getByText('Scripted demo').waitFor();
  await row.getByText('notes, many, broken').waitFor();
  await row.getByText(/^62 tools/).waitFor();
  await row.getByText('1 server unavailable').waitFor();
  await row.getByText('Always ask').waitFor();
  await expectAccessible(page);
});

test('the model of an assistant gets the enabled tools of its servers [R13]', async () => {
  const { page } = app;
  await page.getByRole('link', { name: 'New assistant' }).click();
  await page.getByLabel('Name').fill('Note keeper');
  await page.getByLabel('Instructions').fill('Keep notes.');
  await page.getByLabel('Provider').selectOption({ label: 'House models' });
  await page.getByText('3 models found. You can also type another name.').waitFor();
  await page.getByRole('combobox', { name: 'Model' }).fill('large');
  await page.getByRole('option', { name: 'scripted-large' }).click();

  const tools = page.getByRole('region', { name: 'Tools' });
  const server = tools.getByRole('listitem').filter({ hasText: 'notes' });
  await server.getByText('Connected').waitFor();
  await server.getByRole('checkbox', { name: 'notes' }).click();
  await tools.getByText('17 tools for the model', { exact: false }).waitFor();
  await tools.getByText(/about [\d,]+ tokens per message/).waitFor();

  await server.getByRole('button', { name: '17 tools on notes' }).click();
  await server.getByRole('searchbox', { name: 'Search tools of notes' }).fill('add');
  await server.getByRole('switch', { name: 'add' }).click();
  await tools.getByText('16 tools for the model', { exact: false }).waitFor();
  await server.getByRole('button', { name: '16 of 17 tools on notes' }).waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Create assistant' }).click();
  await page.getByRole('heading', { name: 'Note keeper' }).waitFor();
  await page.getByText('All changes saved').waitFor();
  expect(await stored('Note keeper')).toMatchObject({
    instructions: 'Keep notes.',
    model: { model: 'scripted-large' },
    serverIds: ['notes'],
    disabledTools: ['notes/add'],
    toolApproval: 'always-ask',
  });

  await page.getByRole('main').getByRole('link', { name: 'Chat', exact: true }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Hi');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
  const request = await waitFor(() => models.requests[0], { what: 'the request' });
  expect(request?.tools).toContain('mcp_notes_echo');
  expect(request?.tools).not.toContain('mcp_notes_add');
});

test('the settings of a model are saved for all its assistants, without saving the assistant', async () => {
  const { page } = app;
  await app.load('/assistants');
  await page.getByRole('link', { name: 'Note keeper' }).click();
  await page.getByLabel('Name').fill('Renamed');
  await page.getByRole('button', { name: 'Model settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings of scripted-large' });
  await dialog.getByLabel('Images').selectOption('The model takes images');
  await dialog.getByLabel('Input', { exact: true }).fill('2.5');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be set together with the input price').waitFor();
  await dialog.getByLabel('Output').fill('10');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { settings } = (await app.get('/api/model-settings')).body;
  expect(settings).toMatchObject([{ model: 'scripted-large', takesImages: true, inputPrice: 2.5, outputPrice: 10 }]);
  await page.getByText('Unsaved changes').waitFor();
  // The message stays while the mouse is over it, so it must not cover the button.
  await page.getByText('Model settings saved.').first().waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Model settings' }).click();
  expect(await dialog.getByLabel('Output').inputValue()).toBe('10');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
});

test('calls follow the approval mode: auto, always-ask, trusted-only [R8, R13]', async () => {
  const { page } = app;
  await open('Note keeper');
  const mode = (name: string) => page.getByRole('radio', { name });
  expect(await mode('Always ask').isChecked()).toBe(true);
  expect(await callOutcome('echo')).toBe('asking');

  await mode('Auto').click();
  await save();
  expect(await callOutcome('echo')).toBe('idle');

  await mode('Trusted only').click();
  await page.getByText('No trusted tools yet').waitFor();
  await page.getByRole('combobox', { name: 'Trusted tools' }).fill('ech');
  await page.getByRole('option', { name: 'notes/echo' }).click();
  await page.getByRole('combobox', { name: 'Trusted tools' }).fill('!notes/*');
  await page.keyboard.press('Enter');
  await page.getByText(/starts with "!", which is not supported/).waitFor();
  await page.getByRole('combobox', { name: 'Trusted tools' }).fill('notes/str*');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const trusted = page.getByRole('list', { name: 'Trusted tools' });
  await trusted.getByRole('listitem').filter({ hasText: 'notes/str*' }).getByText('1 tool').waitFor();
  await expectAccessible(page);
  await save();
  expect(await stored('Note keeper')).toMatchObject({
    toolApproval: 'trusted-only',
    trustedTools: ['notes/echo', 'notes/str*'],
  });
  expect(await callOutcome('echo')).toBe('idle');
  expect(await callOutcome('pid')).toBe('asking');

  await mode('Always ask').click();
  await save();
  expect(await callOutcome('echo')).toBe('asking');
});

test('an assistant that searches its tools gives the model three tools instead of all', async () => {
  const { page } = app;
  await open('Note keeper');
  const tools = page.getByRole('region', { name: 'Tools' });
  const list = tools.getByLabel('List of tools');
  expect(await list.locator('option:checked').textContent()).toBe('All tools');
  await tools.getByText('16 tools for the model', { exact: false }).waitFor();
  await list.selectOption('Search tools: a client finds a tool by its task, and then calls it');
  await tools.getByText('The model searches the tools').waitFor();
  await expectAccessible(page);
  await save();
  expect(await stored('Note keeper')).toMatchObject({ expose: 'search' });
  const before = models.requests.length;
  await callOutcome('nothing');
  expect(models.requests[before]?.tools.toSorted()).toEqual(['call_tool', 'describe_tools', 'search_tools']);

  await app.load('/assistants');
  await open('Note keeper');
  await list.selectOption('All tools, or the tools for searching if the list is long');
  await tools.getByText('The model searches the tools').waitFor({ state: 'hidden' });
  await save();
  await callOutcome('nothing');
  expect(models.requests.at(-1)?.tools).toContain('mcp_notes_echo');
  await list.selectOption('All tools');
  await save();
});

test('invalid fields are marked and nothing is saved', async () => {
  const { page } = app;
  await open('Note keeper');
  await page.getByLabel('Name').fill(' ');
  await page.getByLabel('Steps per answer').fill('0');
  await page.getByLabel('Tokens per answer').fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved. Correct the marked fields.').waitFor();
  expect(await errorOf('Name')).toBe('must not be empty');
  expect(await errorOf('Steps per answer')).toContain('must be at least 1');
  expect(await errorOf('Tokens per answer')).toContain('must be at least 100');
  expect(await stored('Note keeper')).toMatchObject({ maxSteps: 20 });
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('All changes saved').waitFor();
});

test('leaving with unsaved changes needs confirmation, by a link and by the back button', async () => {
  const { page } = app;
  await app.load('/assistants');
  await page.getByRole('link', { name: 'Note keeper' }).click();
  await page.getByLabel('Description').fill('Something new');
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });

  await page.getByRole('link', { name: 'Servers', exact: true }).click();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByLabel('Description').inputValue()).toBe('Something new');

  await page.goBack();
  await asked.waitFor();
  expect(new URL(page.url()).pathname).not.toBe('/assistants');
  await asked.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Assistants' }).waitFor();
  expect(await stored('Note keeper')).toMatchObject({ description: '' });
});

test('more than 40 tools and unavailable servers raise warnings [R13]', async () => {
  const { page } = app;
  await open('Note keeper');
  const tools = page.getByRole('region', { name: 'Tools' });
  await tools.getByRole('checkbox', { name: 'many' }).click();
  await tools.getByText('Models choose badly among 61 tools', { exact: false }).waitFor();
  await tools.getByText('Disable tools by pattern').click();
  await tools.getByLabel('Pattern').fill('many/*');
  await page.keyboard.press('Enter');
  await tools.getByText('16 tools for the model', { exact: false }).waitFor();
  await tools.getByRole('button', { name: '0 of 45 tools on many' }).click();
  await tools.getByText('Disabled by the pattern many/*').first().waitFor();
  await tools.getByRole('checkbox', { name: 'broken' }).click();
  await tools.getByText('1 server unavailable').waitFor();
  await tools
    .getByRole('note')
    .getByText(/exited with code 3/)
    .waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
});

test('ten thousand tools can be searched and switched [R13]', async () => {
  const { page } = app;
  const huge = { name: 'huge', transport: 'stdio', ...fixture('modern', { TOOLS: '10000' }) };
  expect((await app.post('/api/servers', huge, { key: app.adminToken })).status).toBe(201);
  await open('Note keeper');
  const tools = page.getByRole('region', { name: 'Tools' });
  await tools.getByRole('checkbox', { name: 'huge' }).click();
  await tools.getByRole('button', { name: '10,000 tools on huge' }).click();
  await tools.getByRole('switch', { name: 'tool_00001' }).waitFor();
  expect(await tools.getByRole('switch').count()).toBeLessThan(50);
  await tools.getByRole('button', { name: 'Disable all' }).click();
  await tools.getByRole('searchbox', { name: 'Search tools of huge' }).fill('tool_09999');
  await tools.getByRole('switch', { name: 'tool_09999' }).click();
  await tools.getByRole('button', { name: '1 of 10,000 tools on huge' }).waitFor();
  await tools.getByText('17 tools for the model', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await app.delete('/api/servers/huge', { key: app.adminToken });
  await tools.getByRole('checkbox', { name: 'huge' }).waitFor({ state: 'detached' });
});

test('an assistant is duplicated and deleted', async () => {
  const { page } = app;
  await app.load('/assistants');
  await page.getByRole('button', { name: 'Actions for Note keeper' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('button', { name: 'Create assistant' }).click();
  await page.getByRole('heading', { name: 'Copy of Note keeper' }).waitFor();
  expect(await stored('Copy of Note keeper')).toMatchObject({ serverIds: ['notes'], disabledTools: ['notes/add'] });

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Assistants' }).waitFor();
  await page.getByRole('link', { name: 'Note keeper', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Copy of Note keeper' }).count()).toBe(0);
  expect(await stored('Copy of Note keeper')).toBeUndefined();
});

test('hostile names are shown as plain text', async () => {
  const { page } = app;
  const name = '<script>document.title=1</script>\u202egpj';
  await app.put(`/api/assistants/${crypto.randomUUID()}`, {
    name,
    description: '[x](javascript:alert(1)) \u001b[31mred',
    serverIds: ['<b>gone</b>'],
  });
  await app.load('/assistants');
  await page.getByRole('link', { name: '<script>document.title=1</script>⟨U+202E⟩gpj' }).click();
  await page.getByText('This server was deleted', { exact: false }).waitFor();
  await page.getByRole('checkbox', { name: '<b>gone</b>' }).waitFor();
  await page.getByLabel('Provider').selectOption({ label: 'House models' });
  await page.getByText('3 models found', { exact: false }).waitFor();
  await page.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: hostileModel.replace('\u202e', '⟨U+202E⟩') }).waitFor();
  expect(await page.title()).toContain('Toolwharf');
  await page.getByRole('button', { name: 'Discard changes' }).click();
});

test('people who are not administrators can view assistants and chat', async () => {
  const key = await app.key(['read', 'call']);
  const page = await app.openPage(`/assistants#token=${key}`);
  await page.getByRole('link', { name: 'Note keeper' }).waitFor();
  expect(await page.getByRole('link', { name: 'New assistant' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Note keeper' }).click();
  await page.getByText('Only administrators can edit assistants.').waitFor();
  expect(await page.getByLabel('Name').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

test('unavailable servers take one line of the message field, and their names are shown on demand', async () => {
  const gone = Array.from({ length: 12 }, (_, index) => `gone-${index + 1}`);
  const model = { provider: 'demo', model: 'demo' };
  const { status } = await app.put(`/api/assistants/${crypto.randomUUID()}`, {
    ...{ name: 'Far away', model, serverIds: ['notes', ...gone] },
  });
  expect(status).toBe(200);
  const narrow = await app.openPage('/chat');
  await narrow.setViewportSize({ width: 390, height: 800 });
  await narrow.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'Far away' });
  const notice = narrow.locator('details', { hasText: '12 servers unavailable' });
  const heightOf = async () => (await notice.boundingBox())?.height ?? 0;
  await notice.waitFor();
  expect(await heightOf()).toBeLessThan(32);
  const last = notice.getByText('gone-12', { exact: true });
  expect(await last.isVisible()).toBe(false);

  await notice.locator('summary').click();
  await last.waitFor();
  expect(await heightOf()).toBeLessThan(200);
  expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await expectAccessible(narrow);
  await narrow.close();
});

async function open(name: string): Promise<void> {
  await app.load('/assistants');
  await app.page.getByRole('link', { name, exact: true }).click();
  await app.page.getByText('All changes saved').waitFor();
}

async function save(): Promise<void> {
  await app.page.getByRole('button', { name: 'Save' }).click();
  await app.page.getByText('All changes saved').waitFor();
}

async function stored(name: string) {
  const { body } = await app.get('/api/assistants');
  return body.assistants.find((assistant: { name: string }) => assistant.name === name);
}

/** The error of a field. */
async function errorOf(label: string): Promise<string | null> {
  const ids = await app.page.getByLabel(label).getAttribute('aria-describedby');
  return app.page.locator(`[id="${ids?.split(' ').at(-1)}"]`).textContent();
}

/** Makes the model call a tool of the server `notes` and returns whether the call needs approval. */
async function callOutcome(tool: string): Promise<'asking' | 'idle'> {
  const { id } = await stored('Note keeper');
  const { body: conversation } = await app.post('/api/conversations', { assistantId: id });
  await app.post(`/api/conversations/${conversation.id}/messages`, { text: `Call ${tool}` });
  const status = await waitFor(
    async () => {
      const { body } = await app.get(`/api/conversations/${conversation.id}`);
      return body.conversation.status !== 'running' && body.conversation.status;
    },
    { what: 'the answer' },
  );
  await app.delete(`/api/conversations/${conversation.id}`);
  return status;
}

/** Scripts the model: it calls the tool named in the message. */
function answer({ last }: ChatRequest): ScriptedTurn {
  const tool = /^Call (\w+)$/.exec(last)?.[1];
  if (tool === undefined) return { text: 'Done.' };
  return { calls: [{ name: `mcp_notes_${tool}`, args: tool === 'echo' ? { text: 'hi' } : {} }] };
}
