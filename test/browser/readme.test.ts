import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';
import { toPage } from '../support/markdown.ts';
import { type AtPty, runAtPty } from '../support/run-at-pty.ts';
import { patienceMs } from '../support/wait-for.ts';
import { expectAccessible } from './support/app.ts';
import { openBrowser } from './support/browser.ts';

// The path of a new user who has only the README: its commands, its labels, in its order. This checkout, built, stands for
// the fresh clone.
const readme = toPage('README.md', readFileSync(join(root, 'README.md'), 'utf8'));
const quickStart = /^## Quick start\n(.*?)^## /ms.exec(readme.text.replaceAll(/^```.*?^```/gms, ''))?.[1] ?? '';
const labels = [...quickStart.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = '']) => label.replaceAll(/\s+/g, ' '));
const commands = [...quickStart.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);

let home: Awaited<ReturnType<typeof tempDir>>;
let gateway: AtPty;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;

beforeAll(async () => {
  home = await tempDir();
  browser = await openBrowser();
  page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  page.setDefaultTimeout(patienceMs);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.interrupt();
  await home?.[Symbol.asyncDispose]();
});

test('the first commands of the README clone the repository and start the gateway, which prints a sign-in link', async () => {
  const [clone, start] = (readme.blocks.find(({ language }) => language === 'sh')?.text ?? '')
    .split('\n')
    .map((line) => line.replace(/ *#.*/, ''));
  expect(clone).toMatch(/^git clone \S+ toolwharf && cd toolwharf$/);
  gateway = runAtTerminal(start ?? '');
  const label = nextLabel('sign in');
  const link = await gateway.see(new RegExp(`${label} +(http://\\S+)`));
  await page.goto(link);
  await page.getByRole('region', { name: 'Get started' }).waitFor();
});

test('two clicks on the overview lead to the first approved call', async () => {
  await page.getByRole('button', { name: nextLabel('Chat with the demo assistant') }).click();
  await page.getByRole('button', { name: nextLabel('Allow once') }).click();
  const result = page.getByRole('log').or(page.getByRole('main'));
  await result.getByText(home.file('.local/share/toolwharf/files')).first().waitFor();
  await expectAccessible(page);
});

test('the overview leads to an added server whose tools can be run', async () => {
  await page.getByRole('link', { name: nextLabel('Overview') }).click();
  await page.getByRole('link', { name: nextLabel('Add a server') }).click();
  const form = page.getByRole('dialog', { name: 'Add server' });
  const command = commandWith('npx -y ');
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(command)})`);
  await form.getByLabel('Paste from a README').press('ControlOrMeta+V');
  await form.getByText('Understood').waitFor();
  await form.getByRole('button', { name: nextLabel('Save') }).click();
  await page.getByRole('article', { name: 'filesystem' }).getByText('Default server').waitFor();
  const added = page.getByRole('article', { name: 'everything' });
  await added.getByText('Connected', { exact: true }).waitFor();
  await page
    .getByRole('navigation')
    .getByRole('link', { name: nextLabel('Tools') })
    .click();
  await page.getByRole('combobox', { name: 'Search tools' }).fill('get-sum');
  await page.getByRole('listbox', { name: 'Tools' }).getByRole('option').first().click();
  for (const [name, value] of [
    ['a', '2'],
    ['b', '3'],
  ] as const)
    await page.getByRole('textbox', { name, exact: true }).fill(value);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('The sum of 2 and 3 is 5.').first().waitFor();

  // The command that the page offers to copy works when it is pasted.
  await page.getByRole('tab', { name: 'Schema', exact: true }).click();
  await page.getByRole('button', { name: 'Copy CLI command' }).click();
  await using call = runAtTerminal(await page.evaluate<string>('navigator.clipboard.readText()'));
  await call.see(/(The sum of 2 and 3 is 5\.)/);
});

test('one command connects a client, which sees the tools of both servers', async () => {
  await using connect = runAtTerminal(commandWith(' connect '));
  await connect.see(/Cursor now uses (\S+)/);
  const { mcpServers } = JSON.parse(readFileSync(home.file('.cursor/mcp.json'), 'utf8'));
  const client = new Client({ name: 'cursor', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpServers.toolwharf.url)));
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['filesystem__list_directory', 'everything__echo']));
  await client.close();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page
    .getByRole('link', { name: nextLabel('Connect a client') })
    .first()
    .click();
  await page.getByText(mcpServers.toolwharf.url).first().waitFor();
  expect(labels).toEqual([]);
});

/** Takes the next label from the README; the test and the README name the same ones in the same order. */
function nextLabel(expected: string): string {
  expect(labels.shift()).toBe(expected);
  return expected;
}

/** The command in the text of the README that contains this part. */
function commandWith(part: string): string {
  const found = commands.find((text) => text.includes(part));
  if (found === undefined) throw new Error(`The README names no command with '${part}'`);
  return found;
}

/** Runs a command of the README at a terminal in this checkout, as a user whose home is empty. */
function runAtTerminal(command: string): AtPty {
  const env = { PATH: process.env.PATH, HOME: home.path, TERM: 'xterm', TOOLWHARF__GATEWAY__PORT: '0' };
  return runAtPty(command, { cwd: root, env });
}
