import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../../test/support/fixtures.ts';
import { type ServedMcp, serveMcp } from '../../../../test/support/serve-mcp.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { metaKey } from './rpc.ts';

let gateway: ServedMcp;
beforeAll(async () => {
  gateway = await serveMcp({ subject: fixture('modern') });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const modern = { ...json, 'mcp-protocol-version': '2026-07-28' };
const envelope = { [metaKey.version]: '2026-07-28', [metaKey.clientCapabilities]: {} };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly id?: unknown; readonly result?: JsonObject; readonly error?: { code: number } };
}

async function send(method: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(gateway.url, { method, headers, ...(text !== undefined && { body: text }) });
  const responseText = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: responseText.startsWith('{') ? JSON.parse(responseText) : {},
  };
}

function request(method: string, params: JsonObject = {}, id: string | number = 1): JsonObject {
  return { jsonrpc: '2.0', id, method, params };
}

/** A modern request with all required headers and metadata. */
function sendModern(method: string, params: JsonObject = {}, more: Record<string, string> = {}): Promise<Answer> {
  const body = request(method, { _meta: envelope, ...params }, 'own-id');
  return send('POST', { ...modern, 'mcp-method': method, ...more }, body);
}

async function openSession(
  protocolVersion = '2025-11-25',
): Promise<{ headers: Record<string, string>; answer: Answer }> {
  const answer = await send('POST', json, request('initialize', { protocolVersion, capabilities: {} }));
  return { answer, headers: { ...json, 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' } };
}

test.each([
  ['a body with another content type', { accept: '*/*', 'content-type': 'text/plain' }, '{}', 415, -32600],
  ['a body that is not JSON', json, '{"jsonrpc":', 400, -32700],
  ['a batch', json, [request('ping')], 400, -32600],
  ['an invalid message', json, { hello: 1 }, 400, -32600],
  ['a body that is too large', json, `{"x":"${'x'.repeat(5 * 1024 * 1024)}"}`, 413, -32600],
  ['a request without a session', json, request('ping'), 400, -32600],
  ['an invalid session id', { ...json, 'mcp-session-id': 'made-up' }, request('ping'), 404, -32600],
])('%s is rejected', async (_case, headers, body, status, code) => {
  expect(await send('POST', headers, body)).toMatchObject({ status, body: { error: { code } } });
});

test('a client gets the version it requests, or the newest version of its era', async () => {
  const versionOf = async (requested: string) => (await openSession(requested)).answer.body.result?.protocolVersion;
  expect(await versionOf('2024-11-05')).toBe('2024-11-05');
  expect(await versionOf('2031-01-01')).toBe('2025-11-25');
  const { headers } = await openSession();
  const odd = { ...headers, 'mcp-protocol-version': '1999-01-01' };
  expect(await send('POST', odd, request('ping'))).toMatchObject({ status: 400 });
});

test('a session that was ended cannot be used', async () => {
  const { headers } = await openSession();
  expect(await send('POST', headers, request('ping'))).toMatchObject({ status: 200, body: { id: 1, result: {} } });
  expect((await send('DELETE', headers)).status).toBe(200);
  expect((await send('POST', headers, request('ping'))).status).toBe(404);
  expect((await send('GET', headers)).status).toBe(404);
});

test('unsupported HTTP methods are rejected, and the modern era supports only POST', async () => {
  expect((await send('PUT', json, '{}')).status).toBe(405);
  for (const method of ['GET', 'DELETE']) expect((await send(method, modern)).status).toBe(405);
  const { headers } = await openSession();
  expect((await send('GET', { ...headers, accept: 'application/json' })).status).toBe(406);
});

test('a legacy client receives an error that explains its invalid request', async () => {
  const { headers } = await openSession();
  const codeOf = async (method: string, params: JsonObject) =>
    (await send('POST', headers, request(method, params))).body.error?.code;
  expect(await codeOf('no/such', {})).toBe(-32601);
  expect(await codeOf('logging/setLevel', { level: 'shout' })).toBe(-32602);
  expect(await codeOf('tools/list', { cursor: 'made-up' })).toBe(-32602);
  expect(await codeOf('prompts/get', { name: 'none' })).toBe(-32602);
  expect(await codeOf('completion/complete', {})).toBe(-32602);
  expect(await codeOf('completion/complete', { ref: { type: 'ref/prompt', name: 'none' }, argument: {} })).toBe(-32602);
});

test('a modern request needs no session and may omit the client information', async () => {
  const { status, body } = await sendModern('server/discover');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: 'own-id',
    result: { resultType: 'complete', supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private' },
  });
  expect(body.result?._meta).toMatchObject({ [metaKey.serverInfo]: { name: 'toolwharf' } });
  expect((await send('POST', modern, { jsonrpc: '2.0', method: 'notifications/x', params: {} })).status).toBe(202);
});

test.each([
  ['no envelope', { _meta: {} }, {}, 400, -32602],
  ['no version', { _meta: { [metaKey.clientCapabilities]: {} } }, {}, 400, -32602],
  ['no capabilities', { _meta: { [metaKey.version]: '2026-07-28' } }, {}, 400, -32602],
  ['a version that is not in the header', { _meta: { ...envelope, [metaKey.version]: 'v9' } }, {}, 400, -32020],
  ['another method in the header', {}, { 'mcp-method': 'tools/call' }, 400, -32020],
  [
    'an unknown version',
    { _meta: { ...envelope, [metaKey.version]: 'v9' } },
    { 'mcp-protocol-version': 'v9' },
    400,
    -32022,
  ],
])('a modern request with %s is rejected with its id', async (_case, params, headers, status, code) => {
  const answer = await sendModern('tools/list', params, headers);
  expect(answer).toMatchObject({ status, body: { id: 'own-id', error: { code } } });
});

test.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such'])(
  'the modern era does not support %s',
  async (method) => {
    expect(await sendModern(method)).toMatchObject({ status: 404, body: { id: 'own-id', error: { code: -32601 } } });
  },
);

test('a question that requires a missing client capability ends the call and names the capability', async () => {
  const call = { name: 'ask', arguments: { question: 'Who?' } };
  expect(await sendModern('tools/call', call, { 'mcp-name': 'ask' })).toMatchObject({
    status: 400,
    body: { error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } } },
  });
});

test('a subscription announces its notifications and ends when the endpoint closes', async () => {
  const served = await serveMcp({ one: fixture('modern'), two: fixture('legacy') });
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: false,
    unknownTopic: true,
    resourceSubscriptions: ['memo://one', 'nowhere://x'],
  };
  const response = await fetch(served.url, {
    method: 'POST',
    headers: { ...modern, 'mcp-method': 'subscriptions/listen' },
    body: JSON.stringify(request('subscriptions/listen', { _meta: envelope, notifications }, 7)),
  });
  const stamp = { _meta: { [metaKey.subscriptionId]: 7 } };
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader.read()).value ?? '';
  expect(JSON.parse(/^data: (.*)$/m.exec(first)?.[1] ?? '')).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://one'] }, ...stamp },
  });
  expect(served.mcp.open.subscriptions).toBe(1);
  served.mcp.close();
  const last = (await reader.read()).value ?? '';
  expect(JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? '')).toMatchObject({ id: 7, result: stamp });
  expect((await reader.read()).done).toBe(true);
  await served[Symbol.asyncDispose]();
  expect(served.mcp.open.subscriptions).toBe(0);
});

test('streams that open after the endpoint was closed end at once', async () => {
  await using served = await serveMcp({ one: fixture('modern') });
  const initialize = request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  const opened = await fetch(served.url, { method: 'POST', headers: json, body: JSON.stringify(initialize) });
  await opened.text();
  served.mcp.close();
  const headers = { ...json, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const standing = await fetch(served.url, { headers });
  expect([standing.status, await standing.text()]).toEqual([200, expect.not.stringContaining('error')]);
  const body = JSON.stringify(request('subscriptions/listen', { _meta: envelope, notifications: {} }));
  const listening = { ...modern, 'mcp-method': 'subscriptions/listen' };
  const subscribed = await fetch(served.url, { method: 'POST', headers: listening, body });
  expect(await subscribed.text()).toContain('"resultType":"complete"');
});

test('a subscription without topics is rejected', async () => {
  expect(await sendModern('subscriptions/listen')).toMatchObject({ body: { error: { code: -32602 } } });
});
