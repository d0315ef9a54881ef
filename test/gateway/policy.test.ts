import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../packages/gateway/core/auth/api-keys.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { connectAgent, outcomeOf, toCall } from '../support/a2a.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
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
  {
    id: 'often',
    when: "call.tool == 'echo' && call.args.text == 'history' && history.count('files/echo', '1h') >= 2",
    then: 'deny',
  },
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

const replicas: readonly { readonly store: string; readonly openAll: () => Promise<readonly Storage[]> }[] = [
  { store: 'SQLite', openAll: async () => [await openStorage({ kind: 'memory' })] },
  {
    store: 'PostgreSQL and three replicas',
    async openAll() {
      const url = await postgres.createUrl();
      const sealer = createSealer(randomBytes(32));
      const stores: Storage[] = [];
      for (let number = 0; number < 3; number++) stores.push(await openStorage({ kind: 'postgres', url, sealer }));
      return stores;
    },
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
    const claims = { issuer: 'https://idp.example', claimsAt: new Date().toISOString(), roles: ['member'] } as const;
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

  test('an explanation names the lines that decide a call, with the values that conditions read', async () => {
    await using client = await connectMcp(`${api.url}/mcp/team`, 'modern');
    await client.text('files__echo', { text: 'evil' });
    const { id } = await latest();
    const { body } = await api.get(`/api/policy/calls/${id}`, admin());
    expect(body.decision).toBe('deny');
    const deciding = body.lines.filter(({ decided }: { decided: boolean }) => decided);
    expect(deciding).toMatchObject([
      {
        ...{ source: 'policy', rule: 'no-evil', effect: 'deny' },
        values: [
          { name: 'call.tool', value: '"echo"' },
          { name: 'call.args.text', value: '"evil"' },
        ],
      },
    ]);
    const sources = body.lines.map(({ source }: { source: string }) => source);
    expect(new Set(sources)).toEqual(new Set(['deny-list', 'ask-list', 'mode', 'policy']));
    expect(body.lines.find(({ rule }: { rule: string }) => rule === 'trial')).toMatchObject({
      ...{ shadow: true, effect: 'ask', decided: false },
    });
    await client.text('files__echo', { text: 'good' });
    const allowed = (await api.get(`/api/policy/calls/${(await latest()).id}`, admin())).body;
    expect(allowed.decision).toBe('allow');
    expect(allowed.lines.filter(({ decided }: { decided: boolean }) => decided)).toMatchObject([{ source: 'mode' }]);
    const member = await api.key(['read', 'call']);
    expect((await api.get(`/api/policy/calls/${id}`, { key: member })).status).toBe(403);
    expect((await api.get(`/api/policy/calls/${randomUUID()}`, admin())).status).toBe(404);
  });

  test('a replay judges the recorded calls with other rules, in pages, beside what people answered', async () => {
    await using client = await connectMcp(`${api.url}/mcp/team`, 'modern');
    const since = new Date().toISOString();
    await client.text('files__echo', { text: 'one' });
    await client.text('files__echo', { text: 'evil' });
    const calling = client.text('files__add', { a: 1, b: 2 });
    const approval = await waitFor(
      async () => (await api.get('/api/approvals?status=pending', admin())).body.approvals[0],
      { what: 'the approval' },
    );
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' }, admin());
    await calling;
    const replay = async (rules: readonly object[]) => {
      const flips: { tool: string; before: string; after: string; person?: string; rules: string[] }[] = [];
      let judged = 0;
      for (let after: number | undefined = 0; after !== undefined; ) {
        const { status, body } = await api.post('/api/policy/replays', { rules, since, after }, admin());
        expect(status).toBe(200);
        flips.push(...body.flips);
        judged += body.judged;
        after = body.next;
      }
      return { judged, flips };
    };
    expect(await replay(rules)).toEqual({ judged: 3, flips: [] });
    const changed = [
      { id: 'adds', when: "call.tool == 'add' && profile == 'team' && call.annotations.size() >= 0", then: 'deny' },
      { id: 'ones', when: "call.tool == 'echo' && call.args.text == 'one'", then: 'ask' },
      { id: 'shadow', when: 'true', then: 'deny', mode: 'shadow' },
    ];
    expect((await replay(changed)).flips).toMatchObject([
      { tool: 'mcp_files_echo', before: 'allowed', after: 'asked', rules: ['ones'] },
      { tool: 'mcp_files_echo', before: 'denied', after: 'allowed', rules: [] },
      { tool: 'mcp_files_add', before: 'asked', after: 'denied', person: 'allow', rules: ['adds'] },
    ]);
    const invalid = await api.post(
      '/api/policy/replays',
      { rules: [{ id: 'a', when: 'nonsense', then: 'ask' }] },
      admin(),
    );
    expect(invalid).toMatchObject({ status: 400, body: { error: { code: 'CONFIG_INVALID' } } });
  });

  test('conditions know the history of a person, also of their revoked keys, and a replay knows it as it was', async () => {
    const issuer = 'https://idp.example';
    const subject = randomUUID();
    const claims = { issuer, claimsAt: new Date().toISOString(), roles: ['member'] } as const;
    await api.storage.users.save(randomUUID(), { ...claims, subject, name: 'eve', groups: [] });
    const keyOf = async () => {
      const created = createApiKey({ name: 'eve', rights: ['read', 'call'], createdBy: `${issuer}#${subject}` });
      await api.storage.keys.add(created.record);
      return created;
    };
    const echo = (key: string, text = 'history') =>
      api.post('/api/tools/mcp_files_echo/call', { arguments: { text } }, { key });
    const since = new Date().toISOString();
    const first = await keyOf();
    const statuses = [(await echo(first.key)).status];
    await api.storage.keys.revoke(first.record.id, new Date().toISOString());
    const second = await keyOf();
    for (let number = 0; number < 2; number++) statuses.push((await echo(second.key)).status);
    expect(statuses).toEqual([200, 200, 403]);
    expect((await echo(await api.key(['call']))).status).toBe(200);
    const twice = {
      id: 'twice',
      when: "call.args.text == 'history' && history.count('files/echo', '1h') >= 1",
      then: 'deny',
    };
    const { body } = await api.post('/api/policy/replays', { rules: [twice], since }, admin());
    expect(body.flips.map(({ before, after }: { before: string; after: string }) => `${before} → ${after}`)).toEqual([
      'allowed → denied',
    ]);
    expect(body.judged).toBe(4);
    const { calls } = (await api.get('/api/calls?limit=4', admin())).body;
    const attempt = async (id: string) =>
      (await api.post('/api/policy/trials', { when: twice.when, call: id }, admin())).body.applies;
    expect(await Promise.all(calls.map(({ id }: { id: string }) => attempt(id)))).toEqual([false, true, true, false]);
  });

  test('decisions of rules are counted over time, also those of shadow mode, with links to the latest calls', async () => {
    await using client = await connectMcp(`${api.url}/mcp`, 'modern');
    const count = async () => (await api.get('/api/policy/decisions?days=1', admin())).body;
    const ofRule = async (id: string) => (await count()).rules.find((rule: { id: string }) => rule.id === id);
    const sum = (calls: readonly number[] = []) => calls.reduce((all, one) => all + one, 0);
    const before = sum((await ofRule('trial'))?.calls);
    await client.text('files__echo', { text: 'counted' });
    const { id } = await latest();
    await client.text('files__echo', { text: 'evil' });
    const trial = await ofRule('trial');
    expect(trial).toMatchObject({ mode: 'shadow', effect: 'ask' });
    expect(trial.latest[1]).toMatchObject({ id, tool: 'mcp_files_echo' });
    expect(sum(trial.calls)).toBe(before + 2);
    expect(trial.calls.at(-1)).toBe(before + 2);
    expect(trial.latest.length).toBeLessThanOrEqual(10);
    expect(await ofRule('no-evil')).toMatchObject({ mode: 'enforce', effect: 'deny' });
    expect(Date.parse((await count()).since)).toBeLessThan(Date.now() - 80_000_000);
  });

  test('what people always answered is proposed, and what plugins or nobody answered is not', async () => {
    const { approvals } = api.storage;
    const ask = async (number: number, by: string) => {
      const id = randomUUID();
      const now = Date.now();
      const request = {
        ...{ id, callId: id, caller: { id: 'ada', kind: 'client' }, server: 'mail', tool: 'mcp_mail_send' },
        ...{ originalName: 'send', description: '', arguments: { to: 'ada', number }, argumentsHash: id },
        ...{ definitionHash: 'h', reason: 'r', askedAt: new Date(now).toISOString() },
        expiresAt: new Date(now + 600_000).toISOString(),
      };
      await approvals.add(request as never);
      await approvals.answer(id, { kind: 'allow' }, by, now);
    };
    for (let number = 0; number < 250; number++) await ask(number, 'Ada');
    for (const by of ['plugin:bot', 'withdrawal']) await ask(300, by);
    const { body } = await api.get('/api/policy/proposals', admin());
    expect(body).toMatchObject({ days: 30 });
    expect(body.proposals).toContainEqual({
      ...{ tool: 'mail/send', answers: 250, people: 'allow' },
      yaml: expect.stringContaining('trustedTools: ["mail/send"]'),
    });
  });

  test('a condition is tried with a recorded call, and the rules are listed with how often they decided', async () => {
    await using client = await connectMcp(`${api.url}/mcp`, 'modern');
    await client.text('files__echo', { text: 'cafe\u0301' });
    const { id } = await latest();
    const attempt = async (when: string) => (await api.post('/api/policy/trials', { when, call: id }, admin())).body;
    expect(await attempt("call.args.text == 'caf\u00e9'")).toMatchObject({ applies: true });
    expect(await attempt("call.args.text == 'tea'")).toMatchObject({
      applies: false,
      values: [{ name: 'call.args.text', value: '"cafe\u0301"' }],
    });
    expect(await attempt('call.args.missing == 1')).toEqual({ failure: 'there is no call.args.missing', values: [] });
    expect(await attempt("call.sever == 'x'")).toEqual({
      problem: { message: 'unknown variable call.sever; did you mean call.server?', line: 1, column: 6 },
      values: [],
    });
    const { body } = await api.get('/api/policy', admin());
    expect(body.rules.map((rule: { id: string }) => rule.id)).toEqual(rules.map((rule) => rule.id));
    const trial = body.rules.at(-1);
    expect(trial.decided).toBeGreaterThan(0);
    expect(body.calls).toBeGreaterThanOrEqual(trial.decided);
    expect(body.variables).toContainEqual(expect.objectContaining({ name: 'call.server', type: 'string' }));
  });
});

describe.each(replicas)('rules stored over the API, with $store', ({ openAll }) => {
  let apis: readonly TestApi[];
  beforeAll(async () => {
    const stores = await openAll();
    apis = await Promise.all(
      stores.map((storage) => startApi(config as never, { storage, env: { PATH: process.env.PATH } })),
    );
  });
  afterAll(() => Promise.all(apis.map((api) => api.close())));

  const one = () => apis[0] as TestApi;
  const admin = () => ({ key: one().adminToken });
  const path = (id: string) => `/api/policy/rules/${encodeURIComponent(id)}`;
  const echo = async (text: string, api: TestApi) => {
    const { status } = await api.post(
      '/api/tools/mcp_files_echo/call',
      { arguments: { text } },
      { key: api.adminToken },
    );
    return status;
  };
  const statusEverywhere = (text: string, status: number) =>
    Promise.all(
      apis.map((api) => waitFor(async () => (await echo(text, api)) === status, { what: `status ${status}` })),
    );

  test('a stored rule decides at once, on all replicas, and its changes and removal too, with revisions and acts', async () => {
    const id = 'deny files/echo in docs/';
    const rule = { when: "call.tool == 'echo' && call.args.text == 'stored'", then: 'deny', reason: 'Stored' };
    const created = await one().post('/api/policy/rules', { id, ...rule, mode: 'shadow' }, admin());
    expect(created).toMatchObject({
      status: 201,
      body: { id, ...rule, mode: 'shadow', onFailure: 'ask', source: 'store', revision: 1 },
    });
    expect(await echo('stored', one())).toBe(200);
    const { calls } = (await one().get('/api/calls?limit=1', admin())).body;
    expect(calls[0].policy).toContainEqual({ id, effect: 'deny', mode: 'shadow' });
    const enforced = await one().put(path(id), { ...rule, mode: 'enforce', revision: 1 }, admin());
    expect(enforced).toMatchObject({ status: 200, body: { mode: 'enforce', revision: 2 } });
    expect(await echo('stored', one())).toBe(403);
    await statusEverywhere('stored', 403);
    const denied = (await one().get('/api/calls?limit=1', admin())).body.calls[0];
    const explained = (await one().get(`/api/policy/calls/${denied.id}`, admin())).body;
    expect(explained.lines).toContainEqual(expect.objectContaining({ source: 'policy', rule: id, decided: true }));
    // An edit of an older revision saves nothing.
    expect(await one().put(path(id), { ...rule, revision: 1 }, admin())).toMatchObject({
      status: 409,
      body: { error: { data: { reason: 'revision', current: { mode: 'enforce', revision: 2 } } } },
    });
    const { body } = await one().get('/api/policy', admin());
    expect(body.rules.find((shown: { id: string }) => shown.id === id)).toMatchObject({
      ...{ source: 'store', decided: expect.any(Number) },
    });
    expect((await one().delete(path(id), admin())).status).toBe(204);
    await statusEverywhere('stored', 200);
    expect((await one().delete(path(id), admin())).status).toBe(404);
    const acts = await one().storage.journal.list({ kind: 'administration' });
    expect(acts).toContainEqual(
      expect.objectContaining({
        originalName: 'createPolicyRule',
        arguments: expect.objectContaining({ id, when: rule.when }),
      }),
    );
  });

  test('a rule that cannot be compiled, or whose id is taken, is not stored, and rules of the file cannot be changed', async () => {
    const add = (rule: object) =>
      one().post('/api/policy/rules', { id: 'x', when: 'true', then: 'ask', ...rule }, admin());
    expect(await add({ when: "call.sever == 'x'" })).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'CONFIG_INVALID',
          data: { problems: [{ path: 'body.when', message: expect.stringContaining('did you mean call.server?') }] },
        },
      },
    });
    expect((await add({ then: 'hide', when: "call.args.a == 'b'" })).status).toBe(400);
    expect((await add({ id: 'no-evil' })).status).toBe(409);
    expect((await one().put(path('no-evil'), { when: 'true', then: 'ask' }, admin())).status).toBe(409);
    expect((await one().delete(path('no-evil'), admin())).status).toBe(409);
    const member = { key: await one().key(['read', 'call']) };
    expect((await one().post('/api/policy/rules', { id: 'm', when: 'true', then: 'ask' }, member)).status).toBe(403);
  });

  test('a stored rule hides a tool on all replicas, and judges calls that a replay judges again', async () => {
    const clients = await Promise.all(apis.map((api) => connectMcp(`${api.url}/mcp`, 'legacy')));
    const listsOne = async (client: (typeof clients)[number]) =>
      (await client.client.listTools()).tools.some(({ name }) => name === 'files__add');
    const hide = { id: 'hide-add', when: "call.tool == 'add'", then: 'hide' };
    expect((await one().post('/api/policy/rules', hide, admin())).status).toBe(201);
    await Promise.all(clients.map((client) => waitFor(async () => !(await listsOne(client)), { what: 'the lists' })));
    await Promise.all(
      clients.map((client) =>
        waitFor(() => client.notices.some(({ method }) => method === 'notifications/tools/list_changed'), {
          what: 'the notification',
        }),
      ),
    );
    await one().post(
      '/api/policy/rules',
      { id: 'again', when: "call.tool == 'echo' && call.args.text == 'again'", then: 'deny' },
      admin(),
    );
    const since = new Date().toISOString();
    expect(await echo('again', one())).toBe(403);
    const replayed = (await one().post('/api/policy/replays', { rules, since }, admin())).body;
    expect(replayed).toMatchObject({ judged: 1, flips: [] });
    for (const id of ['hide-add', 'again']) expect((await one().delete(path(id), admin())).status).toBe(204);
    await Promise.all(clients.map((client) => waitFor(() => listsOne(client), { what: 'the lists' })));
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  });

  test('a stored rule that cannot be compiled any more asks about every call, and the app is told why', async () => {
    const now = new Date().toISOString();
    const record = {
      id: randomUUID(),
      name: 'old',
      when: 'call.gone == 1',
      then: 'deny',
      createdAt: now,
      updatedAt: now,
    };
    const settings = { mode: 'enforce', onFailure: 'deny', examples: [] } as const;
    await one().storage.policy_rules.put({ ...record, ...settings } as never);
    // Any change reads the rules again.
    await one().post('/api/policy/rules', { id: 'other', when: 'false', then: 'ask' }, admin());
    expect(await echo('good', one())).toBe(403);
    const { body } = await one().get('/api/policy', admin());
    expect(body.rules.find(({ id }: { id: string }) => id === 'old')).toMatchObject({
      problem: expect.stringContaining('unknown variable call.gone'),
    });
    for (const id of ['old', 'other']) expect((await one().delete(path(id), admin())).status).toBe(204);
    await statusEverywhere('good', 200);
  });
});

test('stored rules survive a restart, and a reload of the file keeps them', async () => {
  await using directory = await tempDir();
  const file = directory.file('policy.json');
  const url = await postgres.createUrl();
  const sealer = createSealer(randomBytes(32));
  const start = async () =>
    startApi(file, { watch: true, storage: await openStorage({ kind: 'postgres', url, sealer }) });
  const call = async (api: TestApi) =>
    (await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'kept' } })).status;
  await writeFile(file, JSON.stringify({ ...config, policy: undefined }));
  {
    await using api = await start();
    const rule = { id: 'kept', when: "call.args.text == 'kept'", then: 'deny' };
    expect((await api.post('/api/policy/rules', rule)).status).toBe(201);
    expect(await call(api)).toBe(403);
  }
  await using api = await start();
  expect(await call(api)).toBe(403);
  const applied = new Promise<unknown>((resolve) => void api.toolbox.on('config.applied', resolve));
  // A rule of the file with the same id wins.
  await writeFile(file, JSON.stringify({ ...config, policy: { rules: [{ id: 'kept', when: 'false', then: 'ask' }] } }));
  await applied;
  expect(await call(api)).toBe(200);
  const again = new Promise<unknown>((resolve) => void api.toolbox.on('config.applied', resolve));
  await writeFile(file, JSON.stringify({ ...config, policy: undefined }));
  await again;
  expect(await call(api)).toBe(403);
});

test('clients are told that a reload hides tools, and not of a reload that changes other rules', async () => {
  await using directory = await tempDir();
  const file = directory.file('policy.json');
  const write = (given: readonly object[]) => writeFile(file, JSON.stringify({ ...config, policy: { rules: given } }));
  const [first] = rules;
  await write([{ ...first, when: 'false' }]);
  await using api = await startApi(file, { watch: true });
  await using client = await connectMcp(`${api.url}/mcp`, 'legacy');
  const names = async () => (await client.client.listTools()).tools.map(({ name }) => name);
  await waitFor(async () => (await names()).includes('files__fail'), { what: 'the tools' });
  const told = () => client.notices.filter(({ method }) => method === 'notifications/tools/list_changed').length;
  const reload = async (given: readonly object[]) => {
    const applied = new Promise<unknown>((resolve) => void api.toolbox.on('config.applied', resolve));
    await write(given);
    await applied;
  };
  const before = told();
  await reload([{ ...first, when: "call.args.text == 'x'" }]);
  const hide = { id: 'hide', when: "call.tool == 'fail'", then: 'hide' };
  await reload([hide]);
  await waitFor(() => told() > before, { what: 'the notification' });
  expect(told()).toBe(before + 1);
  expect(await names()).not.toContain('files__fail');
  const once = told();
  await reload([hide, { id: 'other', when: 'false', then: 'ask' }]);
  await reload([]);
  await waitFor(() => told() > once, { what: 'the notification' });
  expect(told()).toBe(once + 1);
  expect(await names()).toContain('files__fail');
});

test('a gateway whose feature is switched off refuses to start with rules', async () => {
  await expect(startApi({ ...config, features: { policy: false } } as never)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining("nothing applies 'policy' here: switch on the feature 'policy'"),
  });
});

test('every route of the policy was called and answered according to its schema', () => {
  expect(unasked(({ group, path }) => group === 'policy' && path !== '/api/policy/budgets')).toEqual([]);
});
