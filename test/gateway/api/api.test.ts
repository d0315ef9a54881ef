import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../../packages/toolwharf/kernel/version.ts';
import { startApi, type TestApi, unasked } from '../../support/api.ts';
import { fixture, type HttpServer, startHttp } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

let api: TestApi;
let remote: HttpServer;

beforeAll(async () => {
  remote = await startHttp('legacy-http');
  api = await startApi({
    servers: {
      files: fixture('legacy'),
      shifting: fixture('changing'),
      'odd / name %': { ...fixture('modern'), enabled: true },
    },
    toolbox: { maxResultBytes: 2_000, approval: { ask: ['*_add'], expires: '60s' } },
    profiles: { research: { servers: ['files'], allow: ['files/*'], deny: ['files/write'] } },
  });
});
afterAll(async () => {
  await api.close();
  await remote[Symbol.asyncDispose]();
});

const call = (tool: string, args: object = {}, rest: object = {}) =>
  api.post(`/api/tools/${tool}/call`, { arguments: args, ...rest });

describe('servers over REST', () => {
  test('servers over REST are listed with their actual state [R5]', async () => {
    await waitFor(async () => (await api.get('/api/servers/files')).body.status.state === 'connected');
    const { body } = await api.get('/api/servers');
    expect(body.servers.map((server: { name: string }) => server.name)).toEqual(['files', 'shifting', 'odd / name %']);
    expect(body.servers[0]).toMatchObject({
      source: 'file',
      readOnly: 'Defined in the configuration',
      transport: 'stdio',
      status: { era: 'legacy', transport: 'stdio', pid: expect.any(Number) },
      offers: { tools: { stale: false, rejected: [] } },
    });
  });

  test('servers over REST can have any name', async () => {
    const path = `/api/servers/${encodeURIComponent('odd / name %')}`;
    expect((await api.get(path)).body.name).toBe('odd / name %');
    expect((await api.get(`${path}/tools`)).body.tools.length).toBeGreaterThan(0);
  });

  test('servers over REST can be disconnected, connected and refreshed at run time [R5]', async () => {
    expect((await api.post('/api/servers/files/disconnect')).body.status.state).toBe('disconnected');
    expect((await api.get('/api/servers/files/tools')).body.tools).toEqual([]);
    expect((await api.post('/api/servers/files/connect')).body.status.state).toBe('connected');
    expect((await api.post('/api/servers/files/refresh')).status).toBe(200);
    expect((await api.get('/api/servers/files/tools')).body.tools.length).toBeGreaterThan(5);
  });

  test('servers over REST include their error output', async () => {
    expect((await api.get('/api/servers/files/stderr')).body).toEqual({ lines: [] });
  });

  test('servers over REST from the configuration file cannot be changed, and the reason is reported', async () => {
    const input = { name: 'files', transport: 'http', url: remote.url };
    const attempts = [
      api.put('/api/servers/files', input),
      api.delete('/api/servers/files'),
      api.post('/api/servers/files/disable'),
      api.post('/api/servers/files/enable'),
      api.post('/api/servers', input),
    ];
    for (const { status, body } of await Promise.all(attempts)) {
      expect(status).toBe(409);
      expect(body.error.code).toBe('CONFLICT');
    }
    expect((await attempts[1])?.body.error.message).toContain('can only be changed there');
  });

  test('servers over REST that do not exist are not found on any route', async () => {
    for (const path of ['', '/tools', '/resources', '/prompts', '/stderr'])
      expect((await api.get(`/api/servers/nobody${path}`)).status).toBe(404);
    for (const verb of ['connect', 'disconnect', 'refresh', 'enable', 'disable'])
      expect((await api.post(`/api/servers/nobody/${verb}`)).status).toBe(404);
    expect((await api.delete('/api/servers/nobody')).status).toBe(404);
  });

  test('servers over REST can be added, changed, disabled, enabled and removed [R1, R5]', async () => {
    const added = await api.post('/api/servers', { name: 'remote', transport: 'http', url: remote.url });
    expect(added).toMatchObject({ status: 201, body: { source: 'store', status: { state: 'connected' } } });
    const { id } = added.body;
    expect((await api.post('/api/servers', { name: 'remote', transport: 'http', url: remote.url })).status).toBe(409);
    const input = { name: 'far away', transport: 'auto', url: remote.url, description: 'moved', timeout: 5_000 };
    const changed = await api.put('/api/servers/remote', input);
    expect(changed.body).toMatchObject({ id, name: 'far away', record: { timeout: 5_000, retryAttempts: 3 } });
    expect((await api.get('/api/servers/remote')).status).toBe(404);
    expect((await api.post('/api/servers/far%20away/disable')).body).toMatchObject({
      enabled: false,
      status: { state: 'disconnected' },
    });
    expect((await api.post('/api/servers/far%20away/connect')).status).toBe(409);
    expect((await api.post('/api/servers/far%20away/enable')).body.status.state).toBe('connected');
    expect((await api.delete('/api/servers/far%20away')).status).toBe(204);
    expect((await api.get('/api/servers')).body.servers).toHaveLength(3);
  });

  test('servers over REST can be tested without being added, with era, latency, tools and problems', async () => {
    const { body } = await api.post('/api/servers/test', { name: 'try', transport: 'auto', url: remote.url });
    expect(body).toMatchObject({ ok: true, era: 'legacy', transport: 'http', problems: [] });
    expect(body.latencyMs).toBeGreaterThan(0);
    expect(body.tools.find((tool: { name: string }) => tool.name === 'echo')).toMatchObject({
      parameters: { type: 'object' },
    });
    const unreachable = await api.post('/api/servers/test', {
      name: 'try',
      transport: 'http',
      url: 'http://127.0.0.1:1/mcp',
    });
    expect(unreachable.body).toMatchObject({ ok: false, tools: [], problems: [{ code: 'SERVER_UNREACHABLE' }] });
    expect((await api.get('/api/servers/try')).status).toBe(404);
  });
});

describe('resources, prompts and completion over REST', () => {
  test('resources, prompts and completion over REST are listed, read and completed [R5]', async () => {
    const { resources, resourceTemplates } = (await api.get('/api/servers/files/resources')).body;
    expect(resources.map((resource: { uri: string }) => resource.uri)).toEqual(['memo://one', 'memo://two']);
    expect(resourceTemplates).toHaveLength(1);
    const read = await api.get(`/api/servers/files/resources/read?uri=${encodeURIComponent('memo://one')}`);
    expect(read.body.contents[0].uri).toBe('memo://one');
    const { prompts } = (await api.get('/api/servers/files/prompts')).body;
    expect(prompts.map((prompt: { name: string }) => prompt.name)).toContain('greet');
    const greeting = await api.post('/api/servers/files/prompts/greet', { arguments: { name: 'Ada', tone: 'warm' } });
    expect(JSON.stringify(greeting.body.messages)).toContain('Ada');
    const ref = { type: 'ref/prompt', name: 'greet' };
    const completed = await api.post('/api/servers/files/completions', { ref, argument: { name: 'tone', value: '' } });
    expect(completed.body.completion.values.length).toBeGreaterThan(0);
  });

  test('resources and prompts that do not exist are errors over REST', async () => {
    expect((await api.post('/api/servers/files/prompts/none', {})).status).toBe(404);
    expect((await api.get('/api/servers/files/resources/read')).body.error.data.problems).toMatchObject([
      { path: 'query.uri' },
    ]);
    expect((await api.get('/api/servers/files/resources/read?uri=nope%3A%2F%2Fx')).body.error.code).toBe(
      'SERVER_ERROR',
    );
  });
});

describe('tools and calls over REST', () => {
  test('a tool has its schema and limits', async () => {
    const { body } = await api.get('/api/tools/mcp_files_echo');
    expect(body).toMatchObject({
      server: 'files',
      originalName: 'echo',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      limits: { maxInstances: 64, timeoutMs: 30_000 },
    });
    expect(
      (await api.get('/api/tools?server=shifting')).body.tools.every(
        (tool: { server: string }) => tool.server === 'shifting',
      ),
    ).toBe(true);
    expect((await api.get('/api/tools/mcp_files_none')).body.error.code).toBe('TOOL_NAME_INVALID');
  });

  test('a call returns its result and is recorded [R4, R6]', async () => {
    const { body } = await call('mcp_files_echo', { text: 'hello' });
    expect(body).toMatchObject({ isError: false, text: 'hello', content: [{ type: 'text', text: 'hello' }] });
    const record = await api.get(`/api/calls/${body.callId}`);
    expect(record.body).toMatchObject({ status: 'success', arguments: { text: 'hello' }, caller: { id: 'local' } });
    expect(record.body.result.content).toEqual(body.content);
  });

  test('a tool that fails returns a result, and any other failure is an error with the status of its code', async () => {
    expect((await call('mcp_files_fail')).body).toMatchObject({ isError: true });
    const invalid = await call('mcp_files_echo', { text: 5 });
    expect(invalid).toMatchObject({ status: 400, body: { error: { code: 'ARGUMENTS_INVALID' } } });
    const record = await api.get(`/api/calls/${invalid.body.error.data.callId}`);
    expect(record.body).toMatchObject({ status: 'error', end: 'invalid' });
    expect((await call('none')).status).toBe(404);
  });

  test('a call with an idempotency key runs once', async () => {
    const key = randomUUID();
    const [first, again] = [
      await call('mcp_files_echo', { text: 'once' }, { idempotencyKey: key }),
      await call('mcp_files_echo', { text: 'once' }, { idempotencyKey: key }),
    ];
    expect(again.body.callId).toBe(first.body.callId);
    const other = await call('mcp_files_echo', { text: 'twice' }, { idempotencyKey: key });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_CONFLICT' } } });
  });

  test('a large result is truncated and can be read in pages', async () => {
    const { body } = await call('mcp_files_big', { bytes: 5_000 });
    expect(body.text).toContain('cut by Toolwharf');
    expect(body.truncated).toEqual({ shownBytes: expect.any(Number), totalBytes: expect.any(Number) });
    expect(body.truncated.shownBytes).toBeLessThan(body.truncated.totalBytes);
    expect((await api.get(`/api/calls/${body.callId}`)).body.truncated).toEqual(body.truncated);
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await api.get(`/api/calls/${body.callId}/result?offset=${offset}&length=2000`);
      text += page.body.text;
      offset = page.body.nextOffset;
    }
    expect(JSON.parse(text).content[0].text).toHaveLength(5_000);
    const small = await call('mcp_files_echo', { text: 'x' });
    expect((await api.get(`/api/calls/${small.body.callId}/result`)).status).toBe(404);
  });

  test('calls are filtered by server, tool, status, caller and time, in pages [R4]', async () => {
    const since = new Date().toISOString();
    for (const text of ['1', '2', '3', '4', '5']) await call('mcp_files_echo', { text });
    await call('mcp_files_fail');
    const list = async (query: string) => (await api.get(`/api/calls?since=${since}&${query}`)).body;
    expect((await list('status=error')).calls).toMatchObject([{ originalName: 'fail', end: 'tool' }]);
    expect((await list('tool=echo&server=files')).calls).toHaveLength(5);
    expect((await list('server=shifting')).calls).toEqual([]);
    expect((await list('caller=nobody')).calls).toEqual([]);
    expect(
      (await api.get(`/api/calls?until=${since}&limit=500`)).body.calls.every(
        (one: { createdAt: string }) => one.createdAt < since,
      ),
    ).toBe(true);
    const seen: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = await list(`tool=echo&limit=2${next && `&before=${next}`}`);
      expect(page.calls.length).toBeLessThanOrEqual(2);
      seen.push(...page.calls.map((one: { arguments: { text: string } }) => one.arguments.text));
      expect(page.calls.every((one: object) => !('result' in one))).toBe(true);
      next = page.next;
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
    expect((await api.get(`/api/calls/${randomUUID()}`)).status).toBe(404);
  });

  test('a caller that disconnects cancels its call', async () => {
    const disconnected = new AbortController();
    const sleeping = api.post(
      '/api/tools/mcp_files_sleep/call',
      { arguments: { ms: 20_000 } },
      { signal: disconnected.signal },
    );
    sleeping.catch(() => {});
    await waitFor(async () => (await api.get('/api/calls?status=running&tool=sleep')).body.calls.length === 1);
    disconnected.abort();
    await expect(sleeping).rejects.toThrow();
    await waitFor(async () => {
      const { calls } = (await api.get('/api/calls?tool=sleep')).body;
      return calls[0].status === 'error' && calls[0].end === 'cancelled';
    });
  });

  test('a changed definition is shown with its difference and accepted in the shown version', async () => {
    await call('mcp_shifting_mutate');
    const changed = await waitFor(async () => {
      const { tools } = (await api.get('/api/tools?changed=true')).body;
      return tools[0] as { name: string; definitionHash: string; changes: object[] } | undefined;
    });
    expect(changed).toMatchObject({ name: 'mcp_shifting_target', changed: 'ask' });
    expect(changed?.changes).toContainEqual(expect.objectContaining({ path: '/description', kind: 'changed' }));
    const path = '/api/tools/mcp_shifting_target/accept';
    expect((await api.post(path, { definitionHash: 'another' })).status).toBe(409);
    const accepted = await api.post(path, { definitionHash: changed?.definitionHash });
    expect(accepted.body.changed).toBeUndefined();
    expect((await api.post(path, { definitionHash: changed?.definitionHash })).status).toBe(409);
    const { pins } = (await api.get('/api/pins')).body;
    expect(pins).toContainEqual(expect.objectContaining({ tool: 'target', hash: changed?.definitionHash }));
    const first = (await api.get('/api/pins?limit=1')).body;
    expect(first.pins).toEqual(pins.slice(0, 1));
    expect((await api.get(`/api/pins?limit=1&after=${first.next}`)).body.pins).toEqual(pins.slice(1, 2));
  });
});

describe('approvals over REST', () => {
  async function ask(args: object) {
    const result = call('mcp_files_add', args);
    const question = await waitFor(async () => {
      const { approvals } = (await api.get('/api/approvals?status=pending')).body;
      return approvals[0] as { id: string } | undefined;
    });
    return { id: question?.id ?? '', question, result };
  }

  test('a call waits for its answer, which is accepted once [R16]', async () => {
    const { id, question, result } = await ask({ a: 1, b: 2 });
    expect(question).toMatchObject({ tool: 'mcp_files_add', arguments: { a: 1, b: 2 }, status: 'pending' });
    const answered = await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' });
    expect(answered.body).toMatchObject({ answer: { kind: 'allow' }, answeredBy: 'local' });
    expect((await result).body.text).toBe('3');
    expect((await api.post(`/api/approvals/${id}/answer`, { answer: 'deny' })).status).toBe(409);
    expect((await api.get(`/api/approvals/${id}`)).body.status).toBe('used');
    const answers = [{ approval: id, answer: { answer: 'deny' } }];
    expect((await api.post('/api/approvals/answers', { answers })).body.approvals).toMatchObject([{ status: 'used' }]);
  });

  test('a remembered answer is listed and can be revoked', async () => {
    const { id, result } = await ask({ a: 2, b: 2 });
    await api.post(`/api/approvals/${id}/answer`, { answer: 'deny', scope: 'tool' });
    await result;
    expect((await call('mcp_files_add', { a: 0, b: 0 })).body.error.code).toBe('CALL_DENIED');
    const { rules } = (await api.get('/api/rules')).body;
    expect(rules).toMatchObject([{ scope: 'tool', answer: 'deny', tool: 'add', server: 'files' }]);
    expect((await api.delete(`/api/rules/${rules[0].id}`)).status).toBe(204);
    expect((await api.delete(`/api/rules/${rules[0].id}`)).status).toBe(404);
  });
});

describe('settings over REST', () => {
  test('settings over REST include API keys, which are shown once, listed without their value, and revoked', async () => {
    const made = await api.post('/api/keys', { name: 'ci', profile: 'research' });
    expect(made).toMatchObject({ status: 201, body: { rights: ['read', 'call'], profile: 'research' } });
    expect(made.body.key).toMatch(/^tw_/);
    const { keys } = (await api.get('/api/keys')).body;
    expect(JSON.stringify(keys)).not.toContain(made.body.key);
    expect((await api.delete(`/api/keys/${made.body.id}`)).status).toBe(204);
    expect((await api.delete(`/api/keys/${made.body.id}`)).status).toBe(409);
    expect((await api.delete(`/api/keys/${randomUUID()}`)).status).toBe(404);
    expect((await api.post('/api/keys', { name: 'x', profile: 'none' })).status).toBe(400);
    const bound = await api.post('/api/keys', { name: 'x', profile: 'research', rights: ['admin'] });
    expect(bound.status).toBe(400);
  });

  test('settings over REST include the configuration, the profiles and the health', async () => {
    expect((await api.get('/api/config')).body).toMatchObject({
      dialect: 'native',
      servers: ['files', 'shifting', 'odd / name %'],
      gateway: { host: '127.0.0.1', port: Number(new URL(api.url).port), allowPrograms: true },
    });
    const { profiles } = (await api.get('/api/profiles')).body;
    expect(profiles).toMatchObject([
      { name: 'default', path: '/mcp' },
      { name: 'research', path: '/mcp/research', deny: ['files/write'] },
    ]);
    expect((await api.get('/api/health')).body).toMatchObject({
      status: 'ok',
      version,
      servers: { total: 3, connected: 3 },
    });
  });
});

test('all problems of a request are reported at once', async () => {
  const bad = await api.post('/api/servers', { name: 7, transport: 'carrier pigeon', timeout: 1, extra: true });
  expect(bad.status).toBe(400);
  expect(bad.body.error.data.problems.map(({ path }: { path: string }) => path).sort()).toEqual([
    'body.extra',
    'body.name',
    'body.timeout',
    'body.transport',
  ]);
  expect((await api.get('/api/calls?limit=0&status=odd&since=yesterday&what=1')).body.error.data.problems).toHaveLength(
    4,
  );
  const text = await api.request('POST', '/api/keys', { headers: { 'content-type': 'text/plain' } });
  expect(text.body.error).toMatchObject({ code: 'REQUEST_INVALID', data: { problems: [{ path: 'body' }] } });
  const big = await api.post('/api/tools/mcp_files_echo/call', { arguments: { text: 'x'.repeat(5_000_000) } });
  expect(big).toMatchObject({ status: 413, body: { error: { code: 'REQUEST_TOO_LARGE' } } });
});

test('an unknown path and a known path with another method are distinguished', async () => {
  expect(await api.get('/api/nothing')).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  const wrong = await api.request('PATCH', '/api/servers/files');
  expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } });
  expect(wrong.headers.get('allow')).toBe('GET, PUT, DELETE');
  expect((await api.get('/elsewhere')).status).toBe(404);
});

test('a session can be opened and closed, and the OpenAPI document can be read', async () => {
  expect((await api.get('/api/session')).body).toMatchObject({
    via: 'loopback',
    permissions: expect.arrayContaining(['keys.write']),
  });
  expect((await api.post('/api/session')).headers.get('set-cookie')).toContain('HttpOnly');
  expect((await api.delete('/api/session')).headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await api.get('/api/openapi.json')).body.openapi).toBe('3.1.0');
});

test('a gateway with its own database is its only replica', async () => {
  const { body } = await api.get('/api/fleet');
  expect(body).toMatchObject({ shared: false, replicas: [{ self: true, pid: process.pid }] });
});

test('every route was called and answered according to its schema, except those with their own test files', () => {
  expect(unasked(({ group, operationId }) => !elsewhere.has(group) && !elsewhere.has(operationId))).toEqual([]);
});

/** Groups and routes that other test files in test/gateway cover; each of those files checks its own. */
const elsewhere = new Set([
  'acceptServer',
  ...['roles', 'elevations', 'getApprovalLink', 'answerApprovalLink', 'reportTools'],
  'policy',
  'sandbox',
  ...['chat', 'questions', 'assistants', 'models', 'registry', 'profiles', 'scripts', 'audit', 'skills', 'apps'],
  'accounts',
  ...['setServerToken', 'switchTools', 'overrideTool', 'getTraffic', 'recordTraffic', 'clearTraffic', 'getSignIn'],
  ...['signOut', 'listSavedRequests', 'saveRequest', 'updateSavedRequest', 'removeSavedRequest'],
  ...['users', 'getCallStats', 'cancelCall', 'importServers', 'listClients', 'rejectToolChange', 'getToolFormats'],
  'forgetAnswer',
]);
