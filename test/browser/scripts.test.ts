import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let model: ScriptedChat;
let app: TestApp;

beforeAll(async () => {
  model = await startScriptedChat([]);
  app = await startApp({
    servers: { memo: fixture('legacy') },
    profiles: { scripts: { expose: 'code' } },
    toolbox: {
      chains: {
        greet: { steps: [{ tool: 'mcp_memo_echo', arguments: { text: 'hello' } }] },
        shout: {
          description: 'Echoes a text loudly',
          input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          code: 'await tools.memo.echo({ text: input.text.toUpperCase() })',
        },
      },
    },
  });
});

afterAll(async () => {
  await app?.close();
  await model?.[Symbol.asyncDispose]();
});

const tab = (name: string) => app.page.getByRole('tab', { name, exact: true });

async function addAssistant(name: string): Promise<void> {
  const admin = { key: app.adminToken };
  const input = { name: 'Harbour', kind: 'openai-compatible', baseUrl: model.url };
  const { body: provider } = await app.post('/api/providers', input, admin);
  const choice = { provider: provider.id, model: 'scripted' };
  const settings = { name, model: choice, serverIds: ['memo'], toolApproval: 'always-ask', expose: 'code' };
  expect((await app.put(`/api/assistants/${randomUUID()}`, settings, admin)).status).toBeLessThan(300);
}

test('in a conversation, the calls of a script are approved as one list and shown below its call', async () => {
  const { page } = app;
  await addAssistant('Scripter');
  const code = "(await Promise.all(['one', 'two'].map((text) => tools.memo.echo({ text })))).join(' and ')";
  model.push({ calls: [{ name: 'run_code', args: { code } }] }, ({ last }) => ({ text: `Script: ${last}` }));
  await app.goto('/chat');
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'Scripter' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Echo both');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  const answer = page.getByRole('article', { name: 'Answer' }).last();
  await answer.getByText('2 calls await your approval.').waitFor();
  await answer.getByText('Show the script').click();
  await answer.getByText('Promise.all').waitFor();
  const pending = answer.getByRole('article', { name: 'Approval of echo' });
  expect((await pending.allInnerTexts()).map((text) => /one|two/.exec(text)?.[0])).toEqual(['one', 'two']);
  await answer.getByRole('button', { name: 'Deny all 2' }).waitFor();
  await expectAccessible(page);
  await answer.getByRole('button', { name: 'Allow all 2', exact: true }).click();
  await answer.getByText('Script: one and two').waitFor();
  const steps = answer
    .getByRole('article', { name: 'Call of run_code' })
    .getByRole('list', { name: 'Calls of run_code' });
  await waitFor(async () => (await steps.getByRole('link', { name: 'echo' }).count()) === 2, { what: 'the calls' });
  await expectAccessible(page);
});

test('the page of a chain shows its steps or its script, and a script runs from there', async () => {
  const { page } = app;
  await app.goto('/tools/greet');
  await tab('Steps').click();
  await page.getByRole('link', { name: 'mcp_memo_echo' }).waitFor();
  await app.goto('/tools/shout');
  await tab('Script').click();
  await page.getByRole('group', { name: 'script' }).getByText('toUpperCase').waitFor();
  await expectAccessible(page);
  await tab('Run').click();
  await page.getByRole('textbox', { name: 'text', exact: true }).fill('quiet');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('region', { name: 'Run' }).getByText('QUIET').first().waitFor();
});

test('the call of a script shows the script as a chain of the configuration', async () => {
  const { page } = app;
  await using client = await connectMcp(`${app.url}/mcp/scripts`, 'modern');
  const code = "const text = 'saved';\nawait tools.memo.echo({ text })";
  await client.client.callTool({ name: 'run_code', arguments: { code } });
  const { calls } = (await app.get('/api/calls?tool=run_code&limit=1', { key: app.adminToken })).body;
  await app.goto(`/calls/${calls[0].id}`);
  await page.getByText('Show the configuration').click();
  const shown = page.getByRole('group', { name: 'configuration' });
  await shown.getByText('my_script').waitFor();
  await shown.getByText('echo').waitFor();
  await expectAccessible(page);
});
