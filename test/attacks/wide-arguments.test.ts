import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayParts } from '../../packages/gateway/core/gateway-parts.ts';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { connectAgent, outcomeOf, toSend, words } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { createRecordingServer, recordingServer } from '../support/recording-server.ts';
import { openToolbox } from '../support/toolbox.ts';

const wide = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, 1]));
const wideText = (members: number) => JSON.stringify(wide(members));
/** Whose calls ran, in their order. */
const ran: string[] = [];

let api: TestApi;
let parts: GatewayParts;
let keys: { readonly ada: string; readonly bob: string };
let adaId: string;
beforeAll(async () => {
  api = await startApi(
    {
      servers: { rich: { ...fixture('rich-schema'), validation: 'coerce' } },
      gateway: { requireAuthentication: true, shutdown: 1 },
      profiles: { default: { expose: 'search' } },
    } as never,
    {
      createRoutes(made, features) {
        parts = made;
        return createRoutes(made, features);
      },
      tools: [
        localTool({
          name: 'run',
          parameters: { type: 'object' },
          execute: (args) => {
            ran.push((args as { who: string }).who);
            return 'done';
          },
        }),
        localTool({
          name: 'table',
          parameters: { type: 'object' },
          execute: (args) => ({ structuredContent: wide((args as { members: number }).members), content: [] }),
        }),
      ],
    },
  );
  const ada = await api.key(['call']);
  adaId = `key:${(await api.storage.keys.list())[0]?.id}`;
  keys = { ada, bob: await api.key(['call']) };
});
afterAll(() => api.close());

test('a JSON text in a message of A2A counts as a part of the body', async () => {
  const agent = await connectAgent(api.url, keys.ada);
  const request = toSend([words(`{"tool":"run","arguments":${wideText(10_001)}}`)]);
  await expect(agent.sendMessage(request)).rejects.toThrow('maxBodyMembers');
});

test('a JSON text with the arguments of call_tool counts as a part of the body', async () => {
  await using ada = await connectMcp(`${api.url}/mcp`, 'modern', { key: keys.ada });
  const call = (text: string) =>
    ada.client.callTool({ name: 'call_tool', arguments: { name: 'run', arguments: text } });
  ran.length = 0;
  await expect(call(wideText(10_001))).rejects.toThrow('maxBodyMembers');
  expect(ran).toEqual([]);
  await call('{"who":"ada"}');
  expect(ran).toEqual(['ada']);
});

test('a wide text is not converted, and a reference to a wide result is not passed on', async () => {
  await using ada = await connectMcp(`${api.url}/mcp`, 'modern', { key: keys.ada });
  const call = async (name: string, args: object) => {
    const { isError, content, structuredContent } = await ada.client.callTool({
      name: 'call_tool',
      arguments: { name, arguments: args },
    });
    return { isError, text: JSON.stringify(content), structured: structuredContent as { ref?: string } };
  };
  const tooWide = { isError: true, text: expect.stringContaining('maxBodyMembers') };
  expect(await call('rich__plan', { labels: wideText(10_001) })).toMatchObject(tooWide);
  const { structured } = await call('table', { members: 10_001 });
  expect(structured.ref).toBeTypeOf('string');
  ran.length = 0;
  expect(await call('run', { who: structured })).toMatchObject(tooWide);
  expect(ran).toEqual([]);
  const { structured: smaller } = await call('table', { members: 9_000 });
  expect(await call('run', { who: smaller })).toMatchObject({ isError: undefined });
  expect(ran).toHaveLength(1);
});

test('a call whose texts or references stand for many members waits for its turn before it is judged', async () => {
  const server = createRecordingServer({ type: 'object', properties: { list: { type: 'array' } } });
  const turns: { readonly caller: string; readonly costMs: number; readonly begin: () => void }[] = [];
  const takeTurn = (caller: string, costMs: number) =>
    new Promise<void>((begin) => void turns.push({ caller, costMs, begin }));
  await using toolbox = await openToolbox(
    { servers: { s: recordingServer({ validation: 'coerce' }) } },
    { plugins: [server.plugin], argumentLimits: { maxMembers: () => 10_000, takeTurn } },
  );
  const caller = { id: 'ada', kind: 'client' } as const;
  toolbox.calls.results.add('r', 'ada', { content: [], structuredContent: wide(9_000) }, 100_000);
  const many = [
    toolbox.call('mcp_s_act', { list: `[${wideText(9_000)}]` }, { caller }),
    toolbox.call('mcp_s_act', { more: 'toolwharf-result:r' }, { caller }),
  ];
  await toolbox.call('mcp_s_act', { list: '[1]' }, { caller });
  expect(server.received).toEqual([{ list: [1] }]);
  await expect.poll(() => turns.length).toBe(2);
  for (const { begin, ...turn } of turns) {
    expect(turn).toEqual({ caller: 'ada', costMs: expect.any(Number) });
    expect(turn.costMs).toBeGreaterThan(30);
    begin();
  }
  await Promise.all(many);
  expect(server.received).toEqual([{ list: [1] }, expect.anything(), expect.anything()]);
  const nested = JSON.stringify([wideText(10_001)]);
  expect(await toolbox.call('mcp_s_act', { list: nested }, { caller })).toMatchObject({ isError: false });
});

test('a caller with expensive messages delays those of another caller by one turn at most', async () => {
  const [ada, bob] = await Promise.all([connectAgent(api.url, keys.ada), connectAgent(api.url, keys.bob)]);
  const send = (agent: typeof ada, who: string) =>
    agent.sendMessage(toSend([words(JSON.stringify({ tool: 'run', arguments: { who, more: wide(9_000) } }))]));
  // They last for a minute.
  let taken = 0;
  for (let turn = 0; turn < 100; turn++) void parts.limits.arguments.takeTurn(adaId, 50).then(() => taken++);
  ran.length = 0;
  const waiting = send(ada, 'ada').catch(() => {});
  outcomeOf((await send(bob, 'bob')) as never);
  expect(ran).toEqual(['bob']);
  expect(taken).toBeLessThan(100);
  void waiting;
});
