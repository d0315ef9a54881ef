import { writeFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let directory: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  directory = await tempDir();
  const config = {
    servers: { notes: fixture('legacy') },
    toolbox: { chains: { shout: { description: 'Of the file', code: "'ahoy'.toUpperCase()" } } },
  };
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  app = await startApp(directory.file('toolwharf.json'), { env: { PATH: process.env.PATH } });
});
afterAll(async () => {
  await app.close();
  await directory[Symbol.asyncDispose]();
});

const card = (name: string): Locator => app.page.getByRole('region', { name, exact: true });
const field = (name: string): Locator => app.page.getByRole('textbox', { name });

test('a person saves a script with arguments, tries it, changes it and deletes it', async () => {
  const { page } = app;
  await app.goto('/');
  await page.getByRole('link', { name: 'Scripts', exact: true }).click();
  await page.getByRole('link', { name: 'New script' }).click();
  await field('Name').fill('greet');
  await field('Description').fill('Greets a person');
  await field('Code').fill('await tools.notes.echo({ text: `Hello ${input.who}`');
  await field('Schema of the arguments').fill('{ "type": "object"');
  await page.getByText('This is not a JSON object').waitFor();
  await field('Schema of the arguments').fill(
    JSON.stringify({ type: 'object', properties: { who: { type: 'string' } }, required: ['who'] }),
  );
  await page.getByRole('button', { name: 'Create script' }).click();
  await page.getByText('Not saved. Script', { exact: false }).waitFor();
  await field('Code').fill('await tools.notes.echo({ text: `Hello ${input.who}` })');
  await page.getByRole('button', { name: 'Create script' }).click();
  await page.getByText('All changes saved').waitFor();
  await expectAccessible(page);

  await field('who').fill('Ada');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Hello Ada').waitFor();

  await field('Code').fill('`Good morning ${input.who}`');
  await page.getByText('The form below runs the saved version.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('All changes saved').waitFor();
  expect((await app.get('/api/scripts/greet')).body).toMatchObject({ code: '`Good morning ${input.who}`' });

  await app.goto('/scripts');
  await card('greet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete greet' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  // The open dialog hides the cards.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await card('greet').waitFor({ state: 'detached' });
  expect((await app.get('/api/scripts/greet')).status).toBe(404);
});

test('a script of the configuration file is shown read-only, can be tried and duplicated', async () => {
  const { page } = app;
  await app.goto('/scripts');
  await card('shout').getByText('Configuration file').waitFor();
  await card('shout').getByRole('link', { name: 'View' }).click();
  await page.getByText('can only be changed there', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('AHOY', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await field('Name').fill('shout');
  await page.getByRole('button', { name: 'Create script' }).click();
  await page.getByText("There is a tool named 'shout' already", { exact: false }).waitFor();
  await field('Name').fill('copied');
  await page.getByRole('button', { name: 'Create script' }).click();
  await page.getByText('All changes saved').waitFor();
  expect((await app.get('/api/scripts/copied')).body).toMatchObject({ source: 'store', description: 'Of the file' });
});
