import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../packages/gateway/core/auth/api-keys.ts';
import { connectAgent, outcomeOf, toCall } from '../support/a2a.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { gatewayStores } from '../support/gateway-stores.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { addScriptedAssistant, answerIn } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

const once = (id: string) => ({
  ...{ id, tool: 'files/echo', when: `call.args.text == '${id}'`, window: '1h', max: 1, then: 'deny' },
});
const budgets = [
  ...['legacy', 'modern', 'rest', 'a2a', 'step', 'assistant'].map(once),
  { ...once('person'), per: 'person' },
  { ...once('asks'), then: 'ask' },
  { id: 'scripts', count: 'scriptSeconds', window: '1h', max: 1_000, then: 'deny' },
  {
    id: 'sums',
    tool: 'files/add',
    sum: 'call.args.a + call.args.b',
    per: 'tool',
    window: '1h',
    max: 10.5,
    then: 'deny',
  },
];
const config = {
  servers: { files: fixture('legacy') },
  policy: { budgets },
  profiles: { default: {}, scripts: { expose: 'code' } },
};

const { stores } = gatewayStores();

describe.each(stores)('the budgets of a gateway with $store', ({ open }) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi(config as never, { storage: await open(), env: { PATH: process.env.PATH } });
  });
  afterAll(() => api.close());

  const admin = () => ({ key: api.adminToken });
  const call = (args: object, key = api.adminToken, tool = 'echo') =>
    api.post(`/api/tools/mcp_files_${tool}/call`, { arguments: args }, { key });
  const usesOf = async (id: string) => {
    const { body } = await api.get('/api/policy/budgets', admin());
    return body.budgets.find((budget: { id: string }) => budget.id === id).uses;
  };

  test.each(['legacy', 'modern'] as const)('a call over MCP (%s) is denied when the budget is used up', async (era) => {
    await using client = await connectMcp(`${api.url}/mcp`, era);
    expect(await client.text('files__echo', { text: era })).toBe(era);
    const refused = `The call to files__echo was denied: the budget '${era}' has 0 of 1 left in 1h`;
    expect(await client.text('files__echo', { text: era })).toContain(refused);
  });

  test('a call over REST that a budget denies gets 429, with what is left and when to try again', async () => {
    expect((await call({ text: 'rest' })).status).toBe(200);
    const denied = await call({ text: 'rest' });
    expect(denied).toMatchObject({
      status: 429,
      body: { error: { code: 'LIMIT_REACHED', data: { limit: 'budget', budget: 'rest', max: 1, left: 0 } } },
    });
    expect(Number(denied.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await usesOf('rest')).toEqual([{ subject: {}, used: 1, left: 0 }]);
  });

  test('sums are exact, and counted for each tool', async () => {
    expect((await call({ a: 0.1, b: 0.2 }, undefined, 'add')).status).toBe(200);
    expect((await call({ a: 10, b: 0.2 }, undefined, 'add')).status).toBe(200);
    expect((await call({ a: 0, b: 0.000_001 }, undefined, 'add')).status).toBe(429);
    expect(await usesOf('sums')).toEqual([{ subject: { tool: 'mcp_files_add' }, used: 10.5, left: 0 }]);
  });

  test('a call over A2A, a step of a script and a call of an assistant take from budgets', async () => {
    const agent = await connectAgent(api.url);
    const send = async () => JSON.stringify(outcomeOf(await agent.sendMessage(toCall('files__echo', { text: 'a2a' }))));
    expect(await send()).not.toContain('denied');
    expect(await send()).toContain("the budget 'a2a' has 0 of 1 left");

    await using client = await connectMcp(`${api.url}/mcp/scripts`, 'modern');
    const code = "await tools.files.echo({ text: 'step' }); return await tools.files.echo({ text: 'step' })";
    const ran = await client.client.callTool({ name: 'run_code', arguments: { code } });
    expect(JSON.stringify(ran.content)).toContain("the budget 'step' has 0 of 1 left");
    const [{ used }] = await usesOf('scripts');
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(1_000);

    await using assistant = await addScriptedAssistant(api, []);
    const { path } = await assistant.begin();
    await call({ text: 'assistant' });
    assistant.model.push({ calls: [{ name: 'mcp_files_echo', args: { text: 'assistant' } }] }, { text: 'Denied.' });
    await api.post(`${path}/messages`, { text: 'go' });
    await answerIn(api, path);
    const { calls } = (await api.get('/api/calls?limit=1', admin())).body;
    expect(calls).toMatchObject([
      { end: 'denied', caller: { kind: 'assistant' }, policy: [{ id: 'budget:assistant' }] },
    ]);
  });

  test('all keys of a person take from the budget of that person', async () => {
    const claims = { issuer: 'https://idp.example', claimsAt: new Date().toISOString(), roles: ['member'] } as const;
    const keyOf = async (subject: string) => {
      const createdBy = `https://idp.example#${subject}`;
      const { key, record } = createApiKey({ name: subject, rights: ['read', 'call'], createdBy });
      await api.storage.keys.add(record);
      return key;
    };
    for (const subject of ['ada', 'bob'])
      await api.storage.users.save(randomUUID(), { ...claims, subject, name: subject, groups: [] });
    expect((await call({ text: 'person' }, await keyOf('ada'))).status).toBe(200);
    expect((await call({ text: 'person' }, await keyOf('ada'))).status).toBe(429);
    expect((await call({ text: 'person' }, await keyOf('bob'))).status).toBe(200);
    expect((await call({ text: 'person' }, await api.key(['call']))).status).toBe(200);
    expect((await call({ text: 'person' }, await api.key(['call']))).status).toBe(200);
    const subjects = (await usesOf('person')).map(({ subject }: { subject: { person: string } }) => subject.person);
    expect(subjects).toEqual(expect.arrayContaining(['ada', 'bob']));
  });

  test('a budget that asks names itself in the approval, and charges what a person allows', async () => {
    await call({ text: 'asks' });
    const calling = call({ text: 'asks' });
    const approval = await waitFor(
      async () => (await api.get('/api/approvals?status=pending', admin())).body.approvals[0],
      { what: 'the approval' },
    );
    expect(approval).toMatchObject({ policy: 'toolwharf.budgets', policyRules: ['budget:asks'] });
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' }, admin());
    expect((await calling).status).toBe(200);
    expect(await usesOf('asks')).toEqual([{ subject: {}, used: 2, left: 0 }]);
  });
});

test('a gateway whose feature is switched off refuses to start with budgets', async () => {
  await expect(startApi({ ...config, features: { budgets: false } } as never)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining("nothing applies 'policy.budgets' here: switch on the feature 'budgets'"),
  });
});

test('the route of the budgets was called and answered according to its schema', () => {
  expect(unasked(({ path }) => path === '/api/policy/budgets')).toEqual([]);
});
