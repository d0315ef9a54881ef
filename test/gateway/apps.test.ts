import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webDirectory } from '../../packages/gateway/core/http/web/serve-web.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { addScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let port: string;
beforeAll(async () => {
  const servers = {
    clock: fixture('apps', { CDN: 'https://cdn.example' }),
    other: fixture('apps', { NAME: 'Other' }),
    notes: fixture('legacy'),
  };
  api = await startApi(
    {
      servers,
      gateway: { apps: { domains: ['https://*.example', 'https://cdn.example'] } },
      profiles: { clocks: { servers: ['clock'] }, quiet: { servers: ['clock'], deny: ['clock/tick'] } },
      toolbox: { approval: { deny: ['clock/set_alarm'] } },
    },
    { web: webDirectory },
  );
  ({ port } = new URL(api.url));
});
afterAll(() => api.close());

interface Response {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request with this `Host`, which `fetch` does not allow. */
function get(path: string, host: string, method = 'GET'): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = send({ host: '127.0.0.1', port, path, method, headers: { host } }, async (response) => {
      resolve({ status: response.statusCode, headers: response.headers, body: await text(response) });
    });
    sent.on('error', reject).end();
  });
}

const call = async (tool = 'mcp_clock_show_clock', options = {}) => {
  const { body } = await api.post(`/api/tools/${tool}/call`, { arguments: { city: 'Rome' } }, options);
  return String(body.callId);
};
const open = (id: string, options = {}) => api.post(`/api/calls/${id}/app`, undefined, options);
const callFor = (id: string, body: object, options = {}) => api.post(`/api/calls/${id}/app/calls`, body, options);
const frameHost = () => `apps.localhost:${port}`;

describe('the origin of the frames', () => {
  test('a frame has the policy that the resource and the administrator agree on', async () => {
    const { body } = await open(await call());
    expect(body).toMatchObject({
      server: 'clock',
      uri: 'ui://clock/view.html',
      arguments: { city: 'Rome' },
      result: { content: [{ type: 'text', text: 'It is noon in Rome' }] },
      sources: { connect: ['https://cdn.example'], frame: [] },
      refused: [],
    });
    expect(body.html).toContain('<h1>Clock</h1>');
    const url = new URL(body.frameUrl, api.url);
    expect(url.host).toBe(frameHost());
    const { status, headers, body: page } = await get(url.pathname, url.host);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain('connect-src https://cdn.example;');
    expect(headers['content-security-policy']).toContain(`frame-ancestors 127.0.0.1:${port};`);
    expect(headers['content-security-policy']).toContain('sandbox allow-scripts allow-forms');
    expect(headers['set-cookie']).toBeUndefined();
    // The frame itself contains nothing of the app or of the gateway.
    expect(page).not.toContain('Clock');
  });

  test.each([
    '/',
    '/api/servers',
    '/api/session',
    '/mcp',
    '/metrics',
    '/healthz',
    '/index.html',
    '/frame/',
    '/frame/x.y',
  ])('the origin of the frames serves nothing at %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, body, headers } = await get(path, frameHost(), method);
      expect({ status, body }).toEqual({ status: 404, body: '' });
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    }
  });

  test('the origin of the frames is no host of the gateway, and the hosts of the gateway serve no frames', async () => {
    const { body } = await open(await call());
    const { pathname } = new URL(body.frameUrl, api.url);
    expect((await get(pathname, `127.0.0.1:${port}`)).body).not.toContain('sandbox-proxy-ready');
    expect((await get(pathname, `evil.apps.localhost:${port}`)).status).toBe(403);
    const response = await fetch(`${api.url}/api/servers`, { headers: { origin: `http://${frameHost()}` } });
    expect(response.status).toBe(403);
    const opaque = await fetch(`${api.url}/api/servers`, { headers: { origin: 'null' } });
    expect(opaque.status).toBe(403);
  });

  test('the page may show frames of no other origin', async () => {
    const { headers } = await get('/', `127.0.0.1:${port}`);
    expect(headers['content-security-policy']).toContain(`frame-src apps.localhost:${port};`);
    expect((await api.get('/api/session')).body.showsApps).toBe(true);
  });
});

describe('access to an app and to tools for it', () => {
  test('a call without an app has none', async () => {
    const { body } = await api.post('/api/tools/mcp_notes_echo/call', { arguments: { text: 'x' } });
    expect((await open(body.callId)).status).toBe(404);
    expect((await callFor(body.callId, { tool: 'echo', arguments: { text: 'x' } })).status).toBe(404);
    expect((await open('no-such-call')).status).toBe(404);
  });

  test("a key cannot open the app of another key's call, nor call tools for it", async () => {
    const one = { key: await api.key(['read', 'call'], 'clocks') };
    const other = { key: await api.key(['read', 'call'], 'clocks') };
    const id = await call(undefined, one);
    expect((await open(id, one)).status).toBe(200);
    expect((await open(id, other)).status).toBe(404);
    expect((await callFor(id, { tool: 'tick' }, other)).status).toBe(404);
    const reader = { key: await api.key(['read'], 'clocks') };
    expect((await callFor(id, { tool: 'tick' }, reader)).status).toBe(403);
  });

  test('an app calls only tools for apps of its own server', async () => {
    const id = await call();
    expect((await callFor(id, { tool: 'tick' })).body.text).toMatch(/^Clock tick/);
    for (const tool of [
      'wind_up',
      'echo',
      'mcp_other_tick',
      'other__tick',
      'mcp_clock_tick',
      '../other/tick',
      '__proto__',
    ]) {
      const { status, body } = await callFor(id, { tool, arguments: { text: 'x' } });
      expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'TOOL_NAME_INVALID' });
    }
  });

  test('the policy of the caller applies: denied and hidden tools cannot be called', async () => {
    const id = await call();
    const { status, body } = await callFor(id, { tool: 'set_alarm', arguments: { at: '7' } });
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'CALL_DENIED' });
    const quiet = { key: await api.key(['read', 'call'], 'quiet') };
    const own = await call(undefined, quiet);
    expect((await open(own, quiet)).status).toBe(200);
    expect((await callFor(own, { tool: 'tick' }, quiet)).body.error.code).toBe('TOOL_NAME_INVALID');
  });

  test('the calls of an app are recorded under the call that opened it, with the caller', async () => {
    const key = { key: await api.key(['read', 'call'], 'clocks') };
    const id = await call(undefined, key);
    const { body } = await callFor(id, { tool: 'tick' }, key);
    const { calls } = (await api.get(`/api/calls?parent=${id}`, key)).body;
    expect(calls).toMatchObject([{ id: body.callId, originalName: 'tick', server: 'clock', status: 'success' }]);
    const opener = (await api.get(`/api/calls/${id}`, key)).body;
    expect(calls[0].caller).toEqual(opener.caller);
    expect(calls[0].parent).toEqual({ kind: 'call', id });
  });

  test("an app that an assistant opened calls tools under the assistant's policy", async () => {
    await using assistant = await addScriptedAssistant(
      api,
      [{ calls: [{ name: 'mcp_clock_show_clock', args: { city: 'Oslo' } }] }, { text: 'Here.' }],
      {
        serverIds: ['clock'],
        disabledTools: ['clock/client'],
        toolApproval: 'trusted-only',
        trustedTools: ['clock/show_clock'],
      },
    );
    const { path } = await assistant.begin();
    await api.post(`${path}/messages`, { text: 'Show it' });
    const id: string = await waitFor(
      async () => {
        const { messages } = (await api.get(path)).body;
        const part = messages.at(-1)?.parts.find(({ app }: { app?: string }) => app !== undefined);
        return part && String(part.callId);
      },
      { what: 'the call with an app' },
    );
    expect((await open(id)).body.result).toMatchObject({ content: [{ text: 'It is noon in Oslo' }] });
    const calling = callFor(id, { tool: 'tick' });
    const approval = await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals[0], {
      what: 'the approval',
    });
    expect(approval).toMatchObject({ originalName: 'tick', caller: { id: `assistant:${assistant.id}` } });
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
    expect((await calling).body.text).toMatch(/^Clock tick/);
    expect((await callFor(id, { tool: 'client' })).body.error.code).toBe('TOOL_NAME_INVALID');
  });
});

describe("the app of another person's conversation", () => {
  test('an administrator sees it and cannot act through it, since the journal would name the assistant only', async () => {
    await using assistant = await addScriptedAssistant(
      api,
      [{ calls: [{ name: 'mcp_clock_show_clock', args: { city: 'Oslo' } }] }, { text: 'Here.' }, { text: 'Heard.' }],
      { serverIds: ['clock'], toolApproval: 'auto' },
    );
    const owner = { key: await api.key(['read', 'call']) };
    const { body } = await api.post('/api/conversations', { assistantId: assistant.id }, owner);
    const path = `/api/conversations/${body.id}`;
    await api.post(`${path}/messages`, { text: 'Show it' }, owner);
    const id: string = await waitFor(
      async () => {
        const { conversation, messages } = (await api.get(path)).body;
        const part = messages.at(-1)?.parts.find(({ app }: { app?: string }) => app !== undefined);
        return conversation.status === 'idle' && part && String(part.callId);
      },
      { what: 'the answer with an app' },
    );
    const apps = [{ call: id, kind: 'message', text: 'Hello' }];
    for (const admin of [{}, { key: api.adminToken }]) {
      expect((await open(id, admin)).body).toMatchObject({ canAct: false, server: 'clock' });
      expect((await callFor(id, { tool: 'tick' }, admin)).body.error.code).toBe('FORBIDDEN');
      expect((await api.post(`${path}/messages`, { text: '', apps }, admin)).body.error.code).toBe('FORBIDDEN');
    }
    expect((await open(id, owner)).body.canAct).toBe(true);
    expect((await callFor(id, { tool: 'tick' }, owner)).body.text).toMatch(/^Clock tick/);

    // A text of an app names a call that opened an app in this very conversation.
    const other = await call(undefined, owner);
    for (const foreign of [other, 'no-such-call']) {
      const body = { text: '', apps: [{ call: foreign, kind: 'message', text: 'Hello' }] };
      expect((await api.post(`${path}/messages`, body, owner)).status).toBe(404);
    }
    const long = [{ call: id, kind: 'context', text: 'x'.repeat(16_001) }];
    expect((await api.post(`${path}/messages`, { text: 'Hi', apps: long }, owner)).status).toBe(400);
    const context = [{ call: id, kind: 'context', text: 'Only context' }];
    expect((await api.post(`${path}/messages`, { text: '', apps: context }, owner)).status).toBe(400);
    expect((await api.post(`${path}/messages`, { text: '', apps }, owner)).status).toBe(200);
    const { messages } = (await api.get(path, owner)).body;
    expect(messages.at(-2).parts).toEqual([
      { type: 'app', kind: 'message', callId: id, server: 'clock', text: 'Hello' },
    ]);
  });
});

test('tools show their apps, and whether only apps may call them', async () => {
  const app = async (tool: string) => (await api.get(`/api/tools/mcp_clock_${tool}`)).body.app;
  expect(await app('show_clock')).toEqual({ uri: 'ui://clock/view.html' });
  expect(await app('tick')).toEqual({ uri: 'ui://clock/view.html', only: true });
  expect(await app('set_alarm')).toBeUndefined();
});

test('no app is shown if apps are turned off', async () => {
  await using off = await startApi(
    { servers: { clock: fixture('apps') }, gateway: { apps: { enabled: false } } },
    { web: webDirectory },
  );
  expect((await off.get('/api/session')).body.showsApps).toBe(false);
  const { body } = await off.post('/api/tools/mcp_clock_show_clock/call', { arguments: { city: 'Rome' } });
  expect((await off.post(`/api/calls/${body.callId}/app`)).status).toBe(404);
  expect((await off.post(`/api/calls/${body.callId}/app/calls`, { tool: 'tick' })).status).toBe(404);
  const page = await fetch(`${off.url}/`, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-security-policy')).toContain("frame-src 'none';");
});

test('frames have the configured origin, where nothing else is served', async () => {
  await using configured = await startApi({
    servers: { clock: fixture('apps') },
    gateway: { apps: { url: 'https://apps.example.com' } },
  });
  const { body } = await configured.post('/api/tools/mcp_clock_show_clock/call', { arguments: { city: 'Rome' } });
  const opened = (await configured.post(`/api/calls/${body.callId}/app`)).body;
  expect(opened.frameUrl).toMatch(/^https:\/\/apps\.example\.com\/frame\/[\w.-]+$/);
  ({ port } = new URL(configured.url));
  try {
    expect((await get(new URL(opened.frameUrl).pathname, 'apps.example.com')).status).toBe(200);
    expect((await get('/api/session', 'apps.example.com')).status).toBe(404);
  } finally {
    ({ port } = new URL(api.url));
  }
});

test('every route for apps was called', () => {
  expect(unasked(({ group }) => group === 'apps')).toEqual([]);
});
