import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    servers: { s: fixture('legacy') },
    toolbox: { approval: { ask: ['s/sleep'] } },
    profiles: { default: { allow: ['s/echo', 's/sleep'] }, wide: {} },
  });
});
afterAll(() => api.close());

describe('a key without a profile', () => {
  test.each(['legacy', 'auto'] as const)(
    'a key without a profile opens only the default profile over MCP in the %s era',
    async (era) => {
      const key = await api.key(['read', 'call']);
      await using own = await connectClient(`${api.url}/mcp`, { era, key });
      expect(await own.names()).toEqual(['s__echo', 's__sleep']);
      await using same = await connectClient(`${api.url}/mcp/default`, { era, key });
      expect(await same.names()).toEqual(['s__echo', 's__sleep']);
      await expect(connectClient(`${api.url}/mcp/wide`, { era, key })).rejects.toThrow();
    },
  );

  test('a key without a profile opens only the default profile over A2A and REST', async () => {
    const key = await api.key(['read', 'call']);
    const card = (path: string) =>
      fetch(`${api.url}${path}/.well-known/agent-card.json`, { headers: { authorization: `Bearer ${key}` } });
    expect((await card('/a2a')).status).toBe(200);
    expect((await card('/a2a/wide')).status).toBe(404);
    const names = (await api.get('/api/profiles', { key })).body.profiles.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['default']);
    expect((await api.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 1 } }, { key })).status).toBe(404);
  });

  test('an administrator opens every profile', async () => {
    await using client = await connectClient(`${api.url}/mcp/wide`, { key: api.adminToken });
    expect(await client.names()).toContain('s__add');
  });
});

describe('when a key is revoked', () => {
  const authorized = (key: string) => ({ authorization: `Bearer ${key}` });

  /** A key, and the function that revokes it. */
  async function newKey() {
    const { body } = await api.post('/api/keys', { name: 'short', rights: ['read', 'call'] }, { key: api.adminToken });
    return {
      key: String(body.key),
      revoke: () => api.delete(`/api/keys/${body.id}`, { key: api.adminToken }),
    };
  }

  /** Resolves when the response's stream has ended, however it ends. */
  async function ended(response: Response): Promise<void> {
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.getReader();
    await (async () => {
      while (!(await reader?.read())?.done);
    })().catch(() => {});
  }

  const postMcp = (key: string, message: object, headers: object = {}) =>
    fetch(`${api.url}/mcp`, {
      method: 'POST',
      headers: {
        ...authorized(key),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });

  test('the standing stream of a legacy session ends', async () => {
    const { key, revoke } = await newKey();
    const opened = await postMcp(key, { method: 'initialize', params: initializeParams });
    const stream = await fetch(`${api.url}/mcp`, {
      headers: {
        ...authorized(key),
        accept: 'text/event-stream',
        'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      },
    });
    await revoke();
    await ended(stream);
  });

  test('a subscription of a modern client ends', async () => {
    const { key, revoke } = await newKey();
    const version = '2026-07-28';
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const stream = await postMcp(
      key,
      { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta } },
      { 'mcp-protocol-version': version, 'mcp-method': 'subscriptions/listen' },
    );
    await revoke();
    await ended(stream);
  });

  test('the events and the conversations of the API end', async () => {
    const { key, revoke } = await newKey();
    const { assistants } = (await api.get('/api/assistants', { key })).body;
    const { body } = await api.post('/api/conversations', { assistantId: assistants[0].id }, { key });
    const streams = await Promise.all(
      ['/api/events', `/api/conversations/${body.id}/events`].map((path) =>
        fetch(`${api.url}${path}`, { headers: authorized(key) }),
      ),
    );
    await revoke();
    await Promise.all(streams.map(ended));
  });

  test('the stream of an A2A task ends', async () => {
    const { key, revoke } = await newKey();
    const agent = await connectAgent(api.url, key);
    const states: unknown[] = [];
    const reading = (async () => {
      for await (const event of agent.sendMessageStream(toCall('s__sleep', { ms: 1 }))) states.push(event);
    })().catch(() => 'broken');
    await waitFor(() => states.length > 0, { what: 'the first event' });
    await revoke();
    await reading;
  });

  test('a request that waits for approval ends, and its call does not run', async () => {
    const { key, revoke } = await newKey();
    const calling = api.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 2 } }, { key }).catch(() => 'broken');
    const id = await waitFor(async () => {
      const { approvals } = (await api.get('/api/approvals?status=pending')).body;
      return (approvals as { id: string; arguments: { ms: number } }[]).find((one) => one.arguments.ms === 2)?.id;
    });
    await revoke();
    expect(await calling).toBe('broken');
    await waitFor(async () => (await api.get(`/api/approvals/${id}`)).body.status !== 'pending');
  });

  test('the streams of other keys stay open', async () => {
    const [one, other] = [await newKey(), await newKey()];
    const stop = new AbortController();
    const stream = await fetch(`${api.url}/api/events`, { headers: authorized(other.key), signal: stop.signal });
    await one.revoke();
    await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { key: other.key });
    const reader = stream.body?.getReader();
    let text = '';
    while (!text.includes('call.changed')) text += new TextDecoder().decode((await reader?.read())?.value);
    stop.abort();
  });
});

test('a queued call of a legacy client does not run after its key was revoked, although its session continues', async () => {
  await using directory = await tempDir();
  const [gate, file] = [directory.file('gate'), directory.file('written')];
  await using own = await startApi({
    servers: { s: fixture('legacy'), gated: fixture('gated') },
    toolbox: { maxConcurrent: 1 },
  });
  const { body } = await own.post('/api/keys', { name: 'short', rights: ['read', 'call'] }, { key: own.adminToken });
  await using client = await connectClient(`${own.url}/mcp`, { era: 'legacy', key: String(body.key) });
  const held = own.post('/api/tools/mcp_gated_pass/call', { arguments: { path: gate } });
  await waitFor(async () => (await own.get('/api/calls?status=running')).body.calls.length === 1);
  client.text('s__write', { path: file, text: 'ran' }).catch(() => {});
  const id = await waitFor(async () => {
    const { calls } = (await own.get('/api/calls?status=pending')).body;
    return calls[0]?.id as string | undefined;
  });
  await own.delete(`/api/keys/${body.id}`, { key: own.adminToken });
  await writeFile(gate, '');
  expect((await held).status).toBe(200);
  const record = await waitFor(async () => {
    const { body: call } = await own.get(`/api/calls/${id}`);
    return call.status === 'error' && call;
  });
  expect(record).toMatchObject({ end: 'denied', error: { code: 'CALL_DENIED' } });
  expect(existsSync(file)).toBe(false);
});
