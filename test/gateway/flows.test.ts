import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startReplicas } from '../fleet/replicas.ts';
import { connectAgent, outcomeOf, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { gatewayStores } from '../support/gateway-stores.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { addScriptedAssistant, answerIn } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

const servers = { files: fixture('legacy'), web: fixture('legacy') };
const labels = [{ on: 'server', match: ['files'], add: 'private' }];
const flow = { id: 'to-web', from: ['private'], to: "call.server == 'web'", then: 'deny', reason: 'It is private' };
const asking = { ...flow, then: 'ask', profiles: ['team'] };
const config = {
  servers,
  policy: {
    labels,
    flows: [
      { ...flow, profiles: ['default', 'scripts'] },
      { ...asking, id: 'asks' },
    ],
  },
  profiles: { default: {}, team: {}, scripts: { expose: 'code' } },
};
const secret = 'the offer for Analytical Engines Ltd is 4711 pounds';
const part = 'What is ANALYTICAL engines ltd worth?';

const { stores, postgres } = gatewayStores();

describe.each(stores)('the data flows of a gateway with $store', ({ open }) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi(config as never, { storage: await open(), env: { PATH: process.env.PATH } });
  });
  afterAll(() => api.close());

  const admin = () => ({ key: api.adminToken });
  const connect = async (era: 'legacy' | 'modern', profile = 'default', key?: string) =>
    connectMcp(`${api.url}/mcp/${profile}`, era, { key: key ?? (await api.key(['call'], profile)) });
  const latest = async () => (await api.get('/api/calls?limit=1', admin())).body.calls[0];
  const pending = () =>
    waitFor(async () => (await api.get('/api/approvals?status=pending', admin())).body.approvals[0], {
      what: 'the approval',
    });
  const load = (client: McpClient) => client.text('files__echo', { text: secret });
  const leak = (client: McpClient) => client.text('web__echo', { text: part });

  test.each(['legacy', 'modern'] as const)(
    'a client that opens another session keeps its labels, and other callers do not have them (%s)',
    async (era) => {
      const key = await api.key(['call']);
      {
        await using client = await connect(era, 'default', key);
        await load(client);
        expect(await leak(client)).toContain('It is private: web/echo would get private data of files/echo (in /text)');
      }
      await using again = await connect(era, 'default', key);
      expect(await leak(again)).toContain("(flow 'to-web')");
      expect(await latest()).toMatchObject({
        end: 'denied',
        policy: [{ id: 'to-web', effect: 'deny', mode: 'enforce', flow: true }],
        sources: [{ server: 'files', tool: 'echo', labels: ['private'], kind: 'text', argument: '/text' }],
        contextLabels: ['private'],
      });
      await using other = await connect(era);
      expect(await leak(other)).toBe(part);
    },
  );

  test.each(['legacy', 'modern'] as const)(
    'an approval shows the path over REST, and an answer for the flow allows the rest of it (%s)',
    async (era) => {
      await using client = await connect(era, 'team');
      await load(client);
      const source = (await latest()).id;
      const calling = leak(client);
      const approval = await pending();
      expect(approval).toMatchObject({
        policy: 'toolwharf.flows',
        policyRules: ['asks'],
        flows: [
          { id: 'asks', labels: ['private'], within: 'arguments', sources: [{ call: source, argument: '/text' }] },
        ],
      });
      const answer = (id: string, scope: string) =>
        api.post(`/api/approvals/${id}/answer`, { answer: 'allow', scope }, admin());
      expect((await answer(approval.id, 'flow')).status).toBe(200);
      expect(await calling).toBe(part);
      expect(await leak(client)).toBe(part);
      expect(await latest()).toMatchObject({ policy: [{ id: 'asks', effect: 'allow', flow: true }] });
      expect((await api.get('/api/approvals?status=pending', admin())).body.approvals).toEqual([]);
      const adding = client.text('web__add', { a: 471_100, b: 0 });
      expect(await adding).toBe('471100');
    },
  );

  test('only an approval of a flow can be answered with the scope flow', async () => {
    await using client = await connect('modern', 'team');
    await load(client);
    const calling = leak(client);
    const { id } = await pending();
    const member = await api.key(['read', 'call']);
    const answer = (key: string) =>
      api.post(`/api/approvals/${id}/answer`, { answer: 'allow', scope: 'flow' }, { key });
    expect((await answer(member)).status).toBe(404);
    await api.post(`/api/approvals/${id}/answer`, { answer: 'deny' }, admin());
    expect(await calling).toContain('denied');
  });

  test('the question to the user of a client says where the data comes from', async () => {
    const config = {
      servers,
      policy: { labels, flows: [{ ...flow, then: 'ask' }] },
      toolbox: { approval: { approvers: 'client' } },
    };
    await using own = await startApi(config as never);
    const asked: string[] = [];
    const answers = {
      'elicitation/create': async ({ message }: { message?: unknown }) => {
        asked.push(String(message));
        return { action: 'accept', content: { answer: 'once' } };
      },
    };
    await using client = await connectMcp(`${own.url}/mcp`, 'legacy', { answers: answers as never });
    await load(client);
    expect(await leak(client)).toBe(part);
    expect(asked).toEqual([expect.stringContaining('web/echo would get private data of files/echo (in /text), call ')]);
    expect(asked[0]).not.toContain(secret);
  });

  test('the steps of a script have the labels of earlier steps', async () => {
    await using client = await connect('modern', 'scripts');
    const code = `(await tools.web.echo({ text: (await tools.files.echo({ text: '${secret}' })).slice(14) }))`;
    const { content } = await client.client.callTool({ name: 'run_code', arguments: { code } });
    expect(JSON.stringify(content)).toContain("(flow 'to-web')");
  });

  test('calls over REST and A2A have the labels of their caller', async () => {
    const key = { key: await api.key(['call']) };
    const call = (tool: string, text: string) => api.post(`/api/tools/${tool}/call`, { arguments: { text } }, key);
    await call('mcp_files_echo', secret);
    expect((await call('mcp_web_echo', part)).body.error).toMatchObject({
      code: 'CALL_DENIED',
      data: { policy: 'toolwharf.flows', policyRules: ['to-web'] },
    });
    const agent = await connectAgent(api.url);
    await agent.sendMessage(toCall('files__echo', { text: secret }));
    const outcome = outcomeOf(await agent.sendMessage(toCall('web__echo', { text: part })));
    expect(JSON.stringify(outcome)).toContain("(flow 'to-web')");
  });

  test('the conversation of an assistant has labels of its own', async () => {
    await using assistant = await addScriptedAssistant(api, [], {
      serverIds: ['files', 'web'],
      toolApproval: 'auto',
    });
    const turn = async (path: string, name: string, text: string) => {
      assistant.model.push({ calls: [{ name, args: { text } }] }, { text: 'Done.' });
      await api.post(`${path}/messages`, { text: 'go' });
      await answerIn(api, path);
      return latest();
    };
    const first = await assistant.begin();
    const second = await assistant.begin();
    await turn(first.path, 'mcp_files_echo', secret);
    expect(await turn(first.path, 'mcp_web_echo', 'nothing of it')).toMatchObject({
      contextLabels: ['private'],
      caller: { conversation: first.id },
    });
    expect((await turn(first.path, 'mcp_web_echo', part)).sources).toMatchObject([{ server: 'files' }]);
    expect(await turn(second.path, 'mcp_web_echo', part)).not.toHaveProperty('sources');
  });
});

test('labels survive a restart', async () => {
  await using directory = await tempDir();
  const database = directory.file('toolwharf.db');
  const key = randomBytes(32);
  const start = async () =>
    startApi(config as never, {
      storage: await openStorage({ kind: 'sqlite', file: database, sealer: createSealer(key) } as never),
    });
  let caller: string;
  {
    await using api = await start();
    caller = await api.key(['call']);
    await using client = await connectMcp(`${api.url}/mcp`, 'modern', { key: caller });
    await client.text('files__echo', { text: secret });
    const records = api.storage.openPluginRecords('toolwharf.flows', 'hashes', { isSealed: true });
    expect(await records.list()).toHaveLength(1);
  }
  await using api = await start();
  await using client = await connectMcp(`${api.url}/mcp`, 'modern', { key: caller });
  expect(await client.text('web__echo', { text: part })).toContain("(flow 'to-web')");
});

test('replicas share labels and answers', async () => {
  await using replicas = await startReplicas(postgres(), config as never);
  const [one, two] = replicas.all;
  const key = replicas.adminToken;
  await using first = await connectMcp(`${one.url}/mcp`, 'modern', { key });
  await using second = await connectMcp(`${two.url}/mcp`, 'modern', { key });
  await first.text('files__echo', { text: secret });
  expect(await second.text('web__echo', { text: part })).toContain("(flow 'to-web')");
  // Both change the record of the same caller at the same time.
  const texts = Array.from({ length: 10 }, (_, at) => `private note number ${at} of this caller`);
  await Promise.all(texts.map((text, at) => (at % 2 === 0 ? first : second).text('files__echo', { text })));
  for (const text of texts) expect(await first.text('web__echo', { text })).toContain("(flow 'to-web')");
});

test('a gateway whose feature is switched off refuses to start with flows', async () => {
  await expect(startApi({ ...config, features: { flows: false } } as never)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining("nothing applies 'policy.flows' here: switch on the feature 'flows'"),
  });
});
