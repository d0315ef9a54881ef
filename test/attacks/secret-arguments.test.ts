import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import type { ApprovalRequest, CallEvent } from '../../packages/toolwharf/index.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { createMemoryRules } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { connectAgent, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const secret = 'hunter2-hunter2';
const password = { type: 'string', format: 'password' };
const deep = (levels: number): JsonObject =>
  levels === 0 ? { writeOnly: true } : { type: 'object', properties: { in: deep(levels - 1) } };
const deepValue = (levels: number): unknown => (levels === 0 ? secret : { in: deepValue(levels - 1) });

/** Schemas that mark a secret, each with arguments that contain it. */
const shapes: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'a property': [{ properties: { p: password } }, { p: secret }],
  writeOnly: [{ properties: { p: { writeOnly: true } } }, { p: { a: [secret] } }],
  '$ref at the root': [{ $ref: '#/$defs/A', $defs: { A: { properties: { p: password } } } }, { p: secret }],
  'allOf with $ref': [{ allOf: [{ $ref: '#/$defs/A' }], $defs: { A: { properties: { p: password } } } }, { p: secret }],
  anyOf: [{ properties: { p: { anyOf: [{ type: 'null' }, password] } } }, { p: secret }],
  'if and then': [{ if: { required: ['p'] }, then: { properties: { p: password } } }, { p: secret }],
  additionalProperties: [{ additionalProperties: password }, { any: secret }],
  patternProperties: [{ patternProperties: { '^x-': password } }, { 'x-a': secret }],
  items: [{ properties: { list: { type: 'array', items: password } } }, { list: ['another-secret', secret] }],
  prefixItems: [{ properties: { list: { prefixItems: [{}, password] } } }, { list: ['a', secret] }],
  'a schema with an anchor': [
    { properties: { p: { $ref: '#s' } }, $defs: { S: { $anchor: 's', writeOnly: true } } },
    { p: secret },
  ],
  'a circular schema': [
    { $ref: '#/$defs/N', $defs: { N: { properties: { p: password, next: { $ref: '#/$defs/N' } } } } },
    { next: { next: { p: secret } } },
  ],
  'sixty levels': [deep(60), deepValue(60) as JsonObject],
  'the whole schema': [{ writeOnly: true }, { p: secret }],
  'the names of members': [{ properties: { m: { propertyNames: password } } }, { m: { [secret]: 1 } }],
  'a document in a text': [
    { properties: { p: { contentMediaType: 'application/json', contentSchema: { properties: { q: password } } } } },
    { p: JSON.stringify({ q: secret }) },
  ],
  'an object that is written as a text': [
    { properties: { o: { properties: { p: password } } } },
    { o: JSON.stringify({ p: secret }) },
  ],
};

describe.each(Object.entries(shapes))('a secret that the input schema marks: %s', (shape, [schema, args]) => {
  async function open(approval?: JsonObject) {
    const received: unknown[] = [];
    const take = localTool({
      name: 'take',
      parameters: { type: 'object', ...schema },
      execute(given) {
        received.push(given);
        return 'done';
      },
    });
    const asked: ApprovalRequest[] = [];
    const source = { servers: {}, ...(approval && { toolbox: { approval } }) };
    const toolbox = await openToolbox(source as never, {
      tools: [take],
      approver: {
        async ask(request) {
          asked.push(request);
          return { kind: 'allow', arguments: structuredClone(request.arguments) };
        },
      },
    });
    return { toolbox, received, asked };
  }

  test(`the tool gets the secret, and records and events do not (${shape})`, async () => {
    const { toolbox, received } = await open();
    await using _closed = toolbox;
    const seen: unknown[] = [];
    toolbox.on('call.changed' as never, (record: unknown) => seen.push(structuredClone(record)));
    const call = toolbox.start('take', args);
    const events: CallEvent[] = [];
    call.subscribe((event) => events.push(event));
    seen.push(structuredClone(call.record));
    expect(await call.result).toMatchObject({ isError: false });
    expect(received).toEqual([args]);
    const shown = JSON.stringify([seen, events, call.record, await toolbox.calls.list()]);
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('[hidden]');
  });

  test(`an approver sees a mask, and keeps the secret by leaving it (${shape})`, async () => {
    const { toolbox, received, asked } = await open({ mode: 'always-ask' });
    await using _closed = toolbox;
    const call = toolbox.start('take', args);
    const events: CallEvent[] = [];
    call.subscribe((event) => events.push(event));
    expect(await call.result).toMatchObject({ isError: false });
    expect(received).toEqual([args]);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify([asked, events, call.record])).not.toContain('hunter2');
  });

  test(`a call that repeats the mask is refused (${shape})`, async () => {
    const { toolbox, received } = await open();
    await using _closed = toolbox;
    const { record, result } = toolbox.start('take', args);
    await result;
    if (shape === 'the names of members' || shape === 'the whole schema') return;
    const repeated = await toolbox.call('take', record.arguments);
    expect(repeated).toMatchObject({ isError: true, failure: { code: 'ARGUMENTS_INVALID' } });
    expect(received).toHaveLength(1);
  });
});

const login = {
  type: 'object',
  properties: {
    user: { type: 'string' },
    list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, key: password } } },
  },
};

async function openLogin(edit: (args: JsonObject) => JsonObject) {
  const received: JsonObject[] = [];
  const tool = localTool({
    name: 'login',
    parameters: login,
    execute(given) {
      received.push(given as JsonObject);
      return 'done';
    },
  });
  const toolbox = await openToolbox({ servers: {}, toolbox: { approval: { mode: 'always-ask' } } } as never, {
    tools: [tool],
    approver: { ask: async ({ arguments: args }) => ({ kind: 'allow', arguments: edit(structuredClone(args)) }) },
  });
  return { toolbox, received };
}

const keys = {
  user: 'ada',
  list: [
    { name: 'a', key: 'first-key' },
    { name: 'b', key: 'second-key' },
  ],
};

test('a text where an object with a secret is required is refused, and not recorded', async () => {
  const o = { type: 'object', properties: { p: password } };
  const take = localTool({ name: 'take', parameters: { type: 'object', properties: { o } }, execute: () => 'done' });
  await using toolbox = await openToolbox({ servers: {} }, { tools: [take] });
  const events: unknown[] = [];
  toolbox.on('call.changed', (record) => events.push(record));
  const { failure, text } = await toolbox.call('take', { o: JSON.stringify({ p: secret }) });
  expect(failure?.code).toBe('ARGUMENTS_INVALID');
  expect(text + JSON.stringify([events, await toolbox.calls.list()])).not.toContain(secret);
});

test('an approver who removes an item keeps the secret of the other', async () => {
  const { toolbox, received } = await openLogin((args) => ({ ...args, list: (args.list as unknown[]).slice(1) }));
  await using _closed = toolbox;
  await toolbox.call('login', keys);
  expect(received).toEqual([{ user: 'ada', list: [{ name: 'b', key: 'second-key' }] }]);
});

test('an approver cannot move a secret where it would be shown', async () => {
  const { toolbox, received } = await openLogin((args) => ({ ...args, user: '[hidden]' }));
  await using _closed = toolbox;
  const result = await toolbox.call('login', keys);
  expect(result.failure?.code).toBe('ARGUMENTS_INVALID');
  expect(JSON.stringify(result)).not.toContain('first-key');
  expect(received).toEqual([]);
});

test('a secret that an approver enters is shown nowhere', async () => {
  const { toolbox, received } = await openLogin((args) => ({ ...args, list: [{ name: 'a', key: 'entered-key' }] }));
  await using _closed = toolbox;
  const call = toolbox.start('login', keys);
  const events: CallEvent[] = [];
  call.subscribe((event) => events.push(event));
  await call.result;
  expect(received[0]).toMatchObject({ list: [{ key: 'entered-key' }] });
  expect(JSON.stringify([events, call.record])).not.toMatch(/(entered|first|second)-key/);
});

test('a text of the caller that looks like a mask stays a text', async () => {
  const { toolbox, received } = await openLogin((args) => args);
  await using _closed = toolbox;
  await toolbox.call('login', { ...keys, user: '[hidden]' });
  expect(received).toEqual([{ ...keys, user: '[hidden]' }]);
});

test('a repeated call with the same secret has the first result, and one with another secret is refused', async () => {
  const { toolbox, received } = await openLogin((args) => args);
  await using _closed = toolbox;
  const call = (key: string) => toolbox.call('login', { user: 'ada', list: [{ key }] }, { idempotencyKey: 'once' });
  await call('first-key');
  expect(await call('first-key')).toMatchObject({ isError: false });
  expect((await call('second-key')).failure?.code).toBe('IDEMPOTENCY_CONFLICT');
  expect(received).toHaveLength(1);
});

test('a rule compares the secret itself and does not print it', async () => {
  const tool = localTool({
    name: 'login',
    parameters: { type: 'object', properties: { key: password } },
    execute: () => 'done',
  });
  const rules = createMemoryRules();
  await using toolbox = await openToolbox({ servers: {} }, { tools: [tool], rules });
  await rules.add({
    id: 'r',
    scope: 'tool',
    answer: 'deny',
    audience: 'everyone',
    serverAddress: undefined,
    tool: 'login',
    matching: { key: 'first-*' },
    createdAt: '2026-01-01T00:00:00Z',
  } as never);
  const denied = await toolbox.call('login', { key: 'first-key' });
  expect(denied.failure?.code).toBe('CALL_DENIED');
  expect(JSON.stringify(denied)).not.toContain('first-key');
  expect(await toolbox.call('login', { key: 'second-key' })).toMatchObject({ isError: false });
});

describe('through a gateway', () => {
  let api: TestApi;
  let assistant: ScriptedAssistant;
  const sent: string[] = [];
  const sink = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    for await (const part of request) sent.push(String(part));
    response.end('{}');
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
    api = await startApi({
      servers: { s: fixture('secret-arguments') },
      gateway: { tracesUrl: `${url}/v1/traces`, webhook: { url } },
      profiles: { search: { expose: 'search' }, ask: { approval: { mode: 'always-ask' } } },
    } as never);
    assistant = await addScriptedAssistant(api, [], { toolApproval: 'auto', serverIds: ['s'] });
  });
  afterAll(async () => {
    await api.close();
    await assistant[Symbol.asyncDispose]();
    expect(sent.join('')).not.toContain('hunter2');
    sink.closeAllConnections();
    sink.close();
  });

  const args = { user: 'ada', login: { password: secret } };
  const hash = createHash('sha256').update(secret).digest('hex');
  const overMcp = (era: 'legacy' | 'modern', profile: string, request: object) => async () => {
    await using client = await connectMcp(`${api.url}/mcp${profile}`, era);
    return await client.client.callTool(request as never);
  };
  const direct = { name: 's__sign_in', arguments: args };
  const faces: Readonly<Record<string, () => Promise<unknown>>> = {
    'MCP of the legacy era': overMcp('legacy', '', direct),
    'MCP of the modern era': overMcp('modern', '', direct),
    call_tool: overMcp('modern', '/search', { name: 'call_tool', arguments: direct }),
    REST: () => api.post('/api/tools/mcp_s_sign_in/call', { arguments: args }),
    A2A: async () => (await connectAgent(api.url)).sendMessage(toCall('s__sign_in', args)),
    async 'the chat'() {
      const { path } = await assistant.begin();
      assistant.model.push({ calls: [{ name: 'mcp_s_sign_in', args }] }, { text: 'Done.' });
      await api.post(`${path}/messages`, { text: 'Go' });
      return answerIn(api, path);
    },
  };

  test.each(Object.keys(faces))('a secret argument over %s reaches the server and nobody else', async (face) => {
    await api.put('/api/servers/s/traffic', { enabled: true });
    await using events = await listenTo(api.url, { key: api.adminToken });
    const answer = JSON.stringify(await faces[face]?.());
    expect(answer).toContain(hash);
    const [record] = await api.storage.journal.list({ server: 's', limit: 1 });
    expect(record).toMatchObject({ status: 'success', arguments: { user: 'ada', login: { password: '[hidden]' } } });
    await events.find('call.changed', (data) => data.id === record?.id && data.status === 'success');
    const traffic = await api.get('/api/servers/s/traffic');
    expect(JSON.stringify(traffic)).toContain('[hidden]');
    const everything = [answer, events.events, traffic, api.log, api.answers, (await api.get('/api/calls')).body];
    expect(JSON.stringify(everything)).not.toContain('hunter2');
  });

  test('an invalid secret is refused without quoting it', async () => {
    for (const wrong of ['hunter2', 77_777_777]) {
      const invalid = { user: 'ada', login: { password: wrong } };
      const answer = await api.post('/api/tools/mcp_s_sign_in/call', { arguments: invalid });
      expect(JSON.stringify(answer)).toContain('ARGUMENTS_INVALID');
      expect(JSON.stringify(answer)).toContain('/login/password');
      expect(JSON.stringify(answer)).not.toContain(String(wrong));
    }
  });

  test('an approval that waits shows the mask, and an answer that keeps it runs the call', async () => {
    await using client = await connectMcp(`${api.url}/mcp/ask`, 'modern');
    const calling = client.client.callTool(direct as never);
    const [approval] = await waitFor(
      async () => {
        const { body } = await api.get('/api/approvals?status=pending');
        return body.approvals.length > 0 ? body.approvals : undefined;
      },
      { what: 'the approval' },
    );
    expect(approval.arguments).toEqual({ user: 'ada', login: { password: '[hidden]' } });
    const wrong = { answer: 'allow', scope: 'tool', matching: { login: '[hidden]' } };
    expect((await api.post(`/api/approvals/${approval.id}/answer`, wrong)).status).toBe(400);
    const edited = { ...approval.arguments, user: 'eve' };
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow', arguments: edited });
    expect(JSON.stringify(await calling)).toContain(`eve ${hash}`);
    expect(JSON.stringify(await api.get(`/api/approvals/${approval.id}`))).not.toContain('hunter2');
  });
});
