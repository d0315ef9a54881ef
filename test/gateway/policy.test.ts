import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../packages/gateway/core/auth/api-keys.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { connectAgent, outcomeOf, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { addScriptedAssistant, answerIn } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

const rules = [
  {
    id: 'no-evil',
    when: "call.tool == 'echo' && call.args.text.contains('evil')",
    then: 'deny',
    reason: 'Nothing evil',
  },
  { id: 'team-asks', when: "call.tool == 'add'", then: 'ask', profiles: ['team'], reason: 'The team asks' },
  {
    id: 'finance',
    when: "call.tool == 'echo' && call.args.text == 'budget' && !('finance' in person.groups)",
    then: 'deny',
  },
  { id: 'by-client', when: "call.tool == 'echo' && client.name == 'test' && call.args.text == 'client'", then: 'deny' },
  { id: 'no-fail', when: "call.tool == 'fail' && profile == 'team'", then: 'hide' },
  { id: 'reads', when: "call.tool == 'resources/read' && call.args.uri == 'memo://two'", then: 'deny' },
  { id: 'trial', when: "call.tool == 'echo'", then: 'ask', mode: 'shadow' },
];

const config = {
  servers: { files: fixture('legacy') },
  policy: { rules },
  profiles: { default: {}, team: {}, scripts: { expose: 'code' }, 'team-scripts': { expose: 'code' } },
};

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const stores: readonly { readonly store: string; readonly open: () => Promise<Storage> }[] = [
  { store: 'SQLite', open: () => openStorage({ kind: 'memory' }) },
  {
    store: 'PostgreSQL',
    open: async () =>
      openStorage({ kind: 'postgres', url: await postgres.createUrl(), sealer: createSealer(randomBytes(32)) }),
  },
];

describe.each(stores)('the policy of a gateway with $store', ({ open }) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi(config as never, { storage: await open(), env: { PATH: process.env.PATH } });
  });
  afterAll(() => api.close());

  const admin = () => ({ key: api.adminToken });
  const latest = async () => (await api.get('/api/calls?limit=1', admin())).body.calls[0];

  test.each(['legacy', 'modern'] as const)(
    'a call over MCP (%s) is denied by a rule, and the journal names it',
    async (era) => {
      await using client = await connectMcp(`${api.url}/mcp`, era);
      expect(await client.text('files__echo', { text: 'good' })).toBe('good');
      expect((await latest()).policy).toEqual([{ id: 'trial', effect: 'ask', mode: 'shadow' }]);
      expect(await client.text('files__echo', { text: 'evil' })).toContain("was denied: Nothing evil (rule 'no-evil')");
      expect(await latest()).toMatchObject({
        ...{ end: 'denied', profile: 'default' },
        policy: [
          { id: 'no-evil', effect: 'deny', mode: 'enforce' },
          { id: 'trial', effect: 'ask', mode: 'shadow' },
        ],
      });
      expect(await client.text('files__echo', { text: 'client' })).toContain("rule 'by-client'");
      await expect(client.client.readResource({ uri: 'memo://two' })).rejects.toThrow("the rule 'reads' applies");
      await expect(client.client.readResource({ uri: 'memo://one' })).resolves.toBeDefined();
    },
  );

  test.each(['legacy', 'modern'] as const)('a rule for a profile asks and hides there only (%s)', async (era) => {
    await using elsewhere = await connectMcp(`${api.url}/mcp`, era);
    expect(await elsewhere.text('files__add', { a: 1, b: 2 })).toBe('3');
    const names = async (client: typeof elsewhere) => (await client.client.listTools()).tools.map(({ name }) => name);
    expect(await names(elsewhere)).toContain('files__fail');
    await using team = await connectMcp(`${api.url}/mcp/team`, era);
    expect(await names(team)).not.toContain('files__fail');
    await expect(team.client.callTool({ name: 'files__fail', arguments: {} })).rejects.toThrow();
    const calling = team.text('files__add', { a: 1, b: 2 });
    const [approval] = await waitFor(
      async () => {
        const { approvals } = (await api.get('/api/approvals?status=pending', admin())).body;
        return approvals.length > 0 && approvals;
      },
      { what: 'the approval' },
    );
    expect(approval).toMatchObject({
      reason: "The team asks (rule 'team-asks')",
      policy: 'toolwharf.policy',
      policyRules: ['team-asks'],
    });
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' }, admin());
    expect(await calling).toBe('3');
    expect(await latest()).toMatchObject({
      policy: [{ id: 'team-asks', effect: 'ask', mode: 'enforce' }],
      ...{ profile: 'team', approval: { answer: 'allow' } },
    });
  });

  test('a call over REST and A2A is judged', async () => {
    const call = (text: string) => api.post('/api/tools/mcp_files_echo/call', { arguments: { text } }, admin());
    expect((await call('evil')).body.error).toMatchObject({
      code: 'CALL_DENIED',
      data: { policy: 'toolwharf.policy', policyRules: ['no-evil'] },
    });
    expect((await call('good')).status).toBe(200);
    const agent = await connectAgent(api.url);
    const outcome = outcomeOf(await agent.sendMessage(toCall('files__echo', { text: 'evil' })));
    expect(JSON.stringify(outcome)).toContain("Nothing evil (rule 'no-evil')");
  });

  test('the steps of a script are judged under the profile of its caller', async () => {
    await using client = await connectMcp(`${api.url}/mcp/scripts`, 'modern');
    const run = async (code: string) =>
      JSON.stringify((await client.client.callTool({ name: 'run_code', arguments: { code } })).content);
    expect(await run("(await tools.files.echo({ text: 'good' }))")).toContain('good');
    const step = await latest();
    expect(step).toMatchObject({ status: 'success', policy: [{ id: 'trial' }] });
    expect(await run("(await tools.files.echo({ text: 'evil' }))")).toContain('Nothing evil');
    const { calls } = (await api.get('/api/calls?limit=5', admin())).body;
    const denied = calls.find(({ end }: { end?: string }) => end === 'denied');
    expect(denied).toMatchObject({ profile: 'scripts', parent: { kind: 'call' }, originalName: 'echo' });
  });

  test('the calls of an assistant are judged', async () => {
    await using assistant = await addScriptedAssistant(api, []);
    const { path } = await assistant.begin();
    assistant.model.push({ calls: [{ name: 'mcp_files_echo', args: { text: 'evil' } }] }, { text: 'Denied.' });
    await api.post(`${path}/messages`, { text: 'go' });
    await answerIn(api, path);
    const { calls } = (await api.get('/api/calls?limit=3', admin())).body;
    expect(calls[0]).toMatchObject({ end: 'denied', caller: { kind: 'assistant' }, policy: [{ id: 'no-evil' }, {}] });
  });

  test('a rule knows the groups of the person who owns a key', async () => {
    const claims = { issuer: 'https://idp.example', claimsAt: new Date().toISOString(), role: 'member' } as const;
    const keyOf = async (subject: string, groups: readonly string[]) => {
      await api.storage.users.save(randomUUID(), { ...claims, subject, name: subject, groups });
      const createdBy = `https://idp.example#${subject}`;
      const { key, record } = createApiKey({ name: subject, rights: ['read', 'call'], createdBy });
      await api.storage.keys.add(record);
      return key;
    };
    const call = (key: string) =>
      api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'budget' } }, { key });
    expect((await call(await keyOf('ada', ['finance', 'staff']))).status).toBe(200);
    expect((await call(await keyOf('bob', ['staff']))).body.error.code).toBe('CALL_DENIED');
    expect((await call(await api.key(['call']))).body.error.code).toBe('CALL_DENIED');
  });
});

test('a gateway whose feature is switched off refuses to start with rules', async () => {
  await expect(startApi({ ...config, features: { policy: false } } as never)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining("nothing applies 'policy' here: switch on the feature 'policy'"),
  });
});
