import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webDirectory } from '../../packages/gateway/core/http/web/serve-web.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { patienceMs } from '../support/wait-for.ts';
import { openBrowser } from './support/browser.ts';

const web = process.env.WEB_DIST ?? webDirectory;
const sealer = createSealer(randomBytes(32));
let directory: string;
let model: ScriptedChat;
let browser: Browser;

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'toolwharf-restart-')));
  model = await startScriptedChat([]);
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await model?.[Symbol.asyncDispose]();
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** Starts a gateway on the same database. */
async function startGateway(port: number): Promise<TestApi> {
  const storage = await openStorage({ kind: 'sqlite', file: join(directory, 'toolwharf.db'), sealer });
  return startApi({ servers: { legacy: fixture('legacy') } }, { storage, port, web });
}

test('an approval survives a restart of the gateway, the page reconnects, and the call runs once [R14]', async () => {
  const file = join(directory, 'calls.txt');
  model.push(
    { text: 'I will write a line.', calls: [{ name: 'mcp_legacy_write', args: { path: file, text: 'once' } }] },
    { text: 'The line is there.' },
  );
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  const first = await startGateway(0);
  const admin = { key: first.adminToken };
  const provider = { name: 'Harbour', kind: 'openai-compatible', baseUrl: model.url };
  const { body } = await first.post('/api/providers', provider, admin);
  const assistant = { name: 'Clerk', model: { provider: body.id, model: 'scripted' }, serverIds: ['legacy'] };
  await first.put(`/api/assistants/${randomUUID()}`, assistant, admin);

  await page.goto(new URL('/chat', first.url).href);
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'Clerk' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Write a line');
  await page.getByRole('button', { name: 'Send' }).click();
  const approval = page.getByRole('article', { name: /^Approval of/ });
  await approval.waitFor();

  await first.close();
  await page.getByText('The gateway does not respond.').waitFor();
  await using second = await startGateway(Number(new URL(first.url).port));
  expect(second.url).toBe(first.url);
  await page.getByText('The gateway does not respond.').waitFor({ state: 'detached' });
  await approval.getByRole('button', { name: 'Allow once' }).click();
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByText('The line is there.').waitFor();
  await answer.getByText('I will write a line.').waitFor();
  expect(await readFile(file, 'utf8')).toBe('once\n');
  expect(model.requests).toHaveLength(2);
});
