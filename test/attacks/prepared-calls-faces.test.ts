import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayParts } from '../../packages/gateway/core/gateway-parts.ts';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { connectAgent, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let parts: GatewayParts;
let assistant: ScriptedAssistant;
beforeAll(async () => {
  api = await startApi(
    {
      servers: { s: fixture('legacy') },
      toolbox: {
        chains: {
          relay: {
            input: { type: 'object', properties: { text: { type: 'string' } } },
            steps: [{ tool: 'mcp_s_echo', arguments: { text: '{{ input.text }}' } }],
          },
        },
      },
      profiles: { search: { expose: 'search' }, code: { expose: 'code' } },
    } as never,
    {
      createRoutes(made, features) {
        parts = made;
        return createRoutes(made, features);
      },
    },
  );
  assistant = await addScriptedAssistant(api, [], { toolApproval: 'auto', serverIds: ['s'] });
  const entry = await waitFor(() => parts.toolbox.catalog.find({ server: 's', tool: 'echo' }), {
    what: 'the tool',
  });
  await api.storage.rules.add({
    id: 'r1',
    scope: 'tool',
    answer: 'deny',
    audience: 'everyone',
    serverAddress: entry?.serverAddress,
    server: 's',
    tool: 'echo',
    matching: { text: '/etc/*' },
    createdAt: '2026-01-01T00:00:00Z',
  });
});
afterAll(async () => {
  await api.close();
  await assistant[Symbol.asyncDispose]();
});

/** Calls the tool `echo` with a text, in each way that callers have. */
type Echo = (text: string) => Promise<unknown>;

async function overMcp(era: 'legacy' | 'modern', profile: string, toRequest: (text: string) => object) {
  const client = await connectMcp(`${api.url}/mcp${profile}`, era);
  const echo: Echo = (text) => client.client.callTool(toRequest(text) as never);
  return { echo, end: () => client[Symbol.asyncDispose]() };
}

const direct = (text: string) => ({ name: 's__echo', arguments: { text } });
const faces: readonly [string, () => Promise<{ readonly echo: Echo; readonly end?: () => PromiseLike<unknown> }>][] = [
  ['MCP of the legacy era', () => overMcp('legacy', '', direct)],
  ['MCP of the modern era', () => overMcp('modern', '', direct)],
  ['call_tool', () => overMcp('modern', '/search', (text) => ({ name: 'call_tool', arguments: direct(text) }))],
  [
    'a script',
    () =>
      overMcp('modern', '/code', (text) => ({
        name: 'run_code',
        arguments: { code: `await tools.s.echo({ text: '${text}' })` },
      })),
  ],
  ['a chain', () => overMcp('modern', '', (text) => ({ name: 'relay', arguments: { text } }))],
  ['REST', async () => ({ echo: (text) => api.post('/api/tools/mcp_s_echo/call', { arguments: { text } }) })],
  [
    'A2A',
    async () => {
      const agent = await connectAgent(api.url);
      return { echo: (text) => agent.sendMessage(toCall('s__echo', { text })) };
    },
  ],
  [
    'the chat',
    async () => {
      const { path } = await assistant.begin();
      return {
        async echo(text) {
          assistant.model.push({ calls: [{ name: 'mcp_s_echo', args: { text } }] }, { text: 'Done.' });
          await api.post(`${path}/messages`, { text: 'Go' });
          return answerIn(api, path);
        },
      };
    },
  ],
];

describe.each(faces)('over %s', (name, open) => {
  test(`a reference is judged, recorded and sent as its value over ${name} [O7]`, async () => {
    const { echo, end } = await open();
    const last = async () => (await api.storage.journal.list({ server: 's', limit: 1 }))[0];
    await echo('first');
    const caller = (await last())?.caller.id ?? '';
    const stored = { content: [], structuredContent: { bad: '/etc/passwd', good: '/tmp/x' } };
    parts.toolbox.calls.results.add('stored', caller, stored, 100);
    const refused = await echo('toolwharf-result:stored#/bad');
    expect(JSON.stringify(refused)).toContain('denied');
    expect(await last()).toMatchObject({ arguments: { text: '/etc/passwd' }, end: 'denied' });
    const allowed = await echo('toolwharf-result:stored#/good');
    expect(JSON.stringify(allowed)).toContain('/tmp/x');
    expect(await last()).toMatchObject({ arguments: { text: '/tmp/x' }, status: 'success' });
    await end?.();
  });
});

test('the model of a chat does not read the value of a reference that it passes on [O7]', async () => {
  const { path } = await assistant.begin();
  assistant.model.push({ calls: [{ name: 'mcp_s_echo', args: { text: 'first' } }] }, { text: 'Done.' });
  await api.post(`${path}/messages`, { text: 'Go' });
  await answerIn(api, path);
  const [{ caller } = { caller: { id: '' } }] = await api.storage.journal.list({ server: 's', limit: 1 });
  const value = { content: [], structuredContent: { sum: 20 } };
  parts.toolbox.calls.results.add('sum', caller.id, value, 100);
  const args = { a: 'toolwharf-result:sum#/sum', b: 2 };
  assistant.model.push({ calls: [{ name: 'mcp_s_add', args }] }, { text: 'Done.' });
  await api.post(`${path}/messages`, { text: 'Go' });
  const { parts: shown } = await answerIn(api, path);
  expect(shown.find(({ type }) => type === 'tool-call')).toMatchObject({ arguments: args, status: 'success' });
});
