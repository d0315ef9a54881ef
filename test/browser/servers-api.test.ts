import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { onServersPage, type ServersPage, textbox } from './support/servers-page.ts';

const document = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1.2' },
  paths: {
    '/notes': { get: { operationId: 'listNotes', summary: 'Lists the notes' } },
    '/notes/{id}': {
      get: {
        operationId: 'getNote',
        summary: 'One note',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
    },
  },
};

const asked: unknown[] = [];
let api: Server;
let base: string;
let app: TestApp;
let page: Page;
let on: ServersPage;

beforeAll(async () => {
  api = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    void answer(request).then((body) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  app = await startApp({});
  page = app.page;
  on = onServersPage(page);
});

beforeEach(() => app.goto('/servers'));

afterAll(async () => {
  await app?.close();
  api?.closeAllConnections();
  api?.close();
});

test('an HTTP API is added by its OpenAPI document, and its operations become tools [R9, R10, R21]', async () => {
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = on.dialog('Add server');
  await form.getByLabel('Authentication').selectOption('OAuth');
  await form.getByRole('radio', { name: 'HTTP API' }).check();
  const methods = form.getByLabel('Authentication');
  expect(await methods.inputValue()).toBe('none');
  expect(await methods.locator('option').allTextContents()).not.toContain('OAuth');

  await textbox(form, 'Base URL').fill(`${base}/v1`);
  await textbox(form, 'Name').fill('notes');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('Must have at least one endpoint').waitFor();
  await textbox(form, 'OpenAPI document').fill('openapi.json');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => on.errorOf(textbox(form, 'OpenAPI document'))).toContain('Must be the URL of the document');

  await textbox(form, 'OpenAPI document').fill(`${base}/openapi.json`);
  await form.getByRole('button', { name: 'Test connection' }).click();
  const found = form.getByRole('region', { name: 'Connection test' });
  await found.getByText('Connection succeeded', { exact: true }).waitFor();
  for (const words of ['Notes 1.2', 'HTTP API', 'Discovered 2 tools', 'Lists the notes'])
    await found.getByText(words).first().waitFor();
  expect(await found.getByText('legacy').count()).toBe(0);

  await form.getByRole('button', { name: 'Save' }).click();
  for (const words of ['Connected', 'HTTP API', '2 tools'])
    await on.row('notes').getByText(words, { exact: true }).waitFor();
  await on.row('notes').getByRole('link', { name: 'notes' }).click();
  const panel = on.dialog('notes');
  await panel.getByText(`${base}/openapi.json`).waitFor();
  expect(await panel.getByText('Protocol', { exact: true }).count()).toBe(0);
});

test('an endpoint is defined with rows and called as a tool [R10, R11, R21]', async () => {
  const form = await edit();
  await form.getByRole('button', { name: 'Add endpoint' }).click();
  await page.keyboard.type('notes/{id}/lines');
  await form.getByLabel('Method').selectOption('POST');
  await textbox(form, 'Tool name').fill('add_line');
  await textbox(form, 'Description').last().fill('Adds a line to a note');
  expect(await textbox(form, 'Name of argument 1').inputValue()).toBe('id');
  expect(await form.getByRole('checkbox', { name: 'Required (id)' }).isDisabled()).toBe(true);
  expect(await form.getByRole('button', { name: 'Remove id', exact: true }).count()).toBe(0);
  await form.getByLabel('Type of id').selectOption('Whole number');
  await addArgument(form, 'text');
  await form.getByRole('checkbox', { name: 'Required (text)' }).check();
  await textbox(form, 'Description of text').fill('What it says');
  await addArgument(form, 'text');
  await expect.poll(() => on.errorOf(textbox(form, 'Name of argument 3'))).toContain('Another argument');
  expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await textbox(form, 'Name of argument 3').fill('notify');
  await form.getByLabel('Type of notify').selectOption('Boolean');
  await form.getByRole('checkbox', { name: 'In the query (notify)' }).check();
  await addArgument(form, 'marks');
  await form.getByLabel('Type of marks').selectOption('List of texts');
  await expectAccessible(page);

  await form.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => on.errorOf(textbox(form, 'Path'))).toContain('Must begin with /');
  await textbox(form, 'Path').fill('/notes/{id}/lines');
  await form.getByRole('button', { name: 'Save' }).click();
  await on.row('notes').getByText('3 tools', { exact: true }).waitFor();

  await app.goto('/tools/mcp_notes_add_line');
  await page.getByRole('textbox', { name: /^id/ }).fill('7');
  await page.getByRole('textbox', { name: /^text/ }).fill('milk');
  await page.getByRole('radio', { name: 'true', exact: true }).click();
  await page.getByRole('button', { name: 'Add an item to marks' }).click();
  await page.getByRole('group', { name: 'marks', exact: true }).getByRole('textbox').fill('shopping');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const run = page.getByRole('region', { name: 'Run' });
  await run.getByText('POST /v1/notes/7/lines?notify=true').first().waitFor();
  expect(asked.at(-1)).toEqual({
    request: 'POST /v1/notes/7/lines?notify=true',
    body: { text: 'milk', marks: ['shopping'] },
  });
});

test('a complex schema is edited as text and loses nothing [R21]', async () => {
  const form = await edit();
  await form.getByRole('button', { name: 'POST /notes/{id}/lines add_line' }).click();
  expect(await textbox(form, 'Description of text').inputValue()).toBe('What it says');
  expect(await form.getByRole('checkbox', { name: 'In the query (notify)' }).isChecked()).toBe(true);
  await form.getByRole('button', { name: 'Edit as JSON Schema' }).click();
  const schema = textbox(form, 'JSON Schema of the arguments');
  const before = JSON.parse(await schema.inputValue());
  await schema.fill('{ "type": ');
  await expect.poll(() => on.errorOf(schema)).toContain('Line 1, column 11: expected a value');
  expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  before.properties.text.enum = ['milk', 'bread'];
  await schema.fill(JSON.stringify(before));
  expect(await form.getByRole('button', { name: 'Edit as rows' }).isDisabled()).toBe(true);
  await form.getByRole('checkbox', { name: 'marks' }).check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });

  const again = await edit();
  await textbox(again, 'Description').fill('What to buy');
  await again.getByRole('button', { name: 'POST /notes/{id}/lines add_line' }).click();
  expect(JSON.parse(await schema.inputValue())).toEqual(before);
  await again.getByRole('button', { name: 'Save' }).click();
  await on.row('notes').getByText('What to buy').waitFor();
  const { body } = await app.get('/api/servers');
  expect(body.servers[0].record.endpoints).toEqual([
    {
      name: 'add_line',
      description: 'Adds a line to a note',
      method: 'POST',
      path: '/notes/{id}/lines',
      query: ['notify', 'marks'],
      input: before,
    },
  ]);
});

test('the form of an API fits a narrow screen, and endpoints can be removed [R21]', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  const form = await edit();
  await form.getByRole('button', { name: 'Add endpoint' }).click();
  await page.keyboard.type('/notes/{id}');
  await addArgument(form, 'more');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  const scrolled = await form.evaluate((dialog) => {
    const inside = [...dialog.querySelectorAll('fieldset, ul, li')];
    return inside.filter((part) => part.scrollWidth > part.clientWidth + 1).length;
  });
  expect(scrolled).toBe(0);
  await form.getByRole('button', { name: 'Remove endpoint 2' }).click();
  await form.getByRole('button', { name: 'Remove add_line' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await on.row('notes').getByText('2 tools', { exact: true }).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await on.remove('notes');
});

async function edit(): Promise<Locator> {
  await on.row('notes').waitFor();
  await on.menu('notes', 'Edit');
  return on.dialog('Edit notes');
}

async function addArgument(form: Locator, name: string): Promise<void> {
  await form.getByRole('button', { name: 'Add argument' }).click();
  await page.keyboard.type(name);
}

/** The API: serves its document, and answers every other request with its method and path. */
async function answer(request: IncomingMessage): Promise<unknown> {
  if (request.url === '/openapi.json') return document;
  const body = await text(request);
  const question = { request: `${request.method} ${request.url}`, ...(body !== '' && { body: JSON.parse(body) }) };
  if (request.method !== 'HEAD') asked.push(question);
  return question;
}
