import { describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { initialize, json, metric, metrics, startLimited } from '../support/limited-api.ts';
import { waitFor } from '../support/wait-for.ts';

/** Sends one request in a session, and returns the response with its message. */
async function send(api: TestApi, { key, session }: { key: string; session: string }, method: string, params: object) {
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: { ...json, accept: 'application/json', authorization: `Bearer ${key}`, 'mcp-session-id': session },
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method, params }),
  });
  return { response, body: (await response.json()) as { error?: { message: string } } };
}

describe('subscriptions to resources', () => {
  test('a caller with too many subscriptions in all of its sessions gets 429 with Retry-After, until one has ended', async () => {
    await using api = await startLimited({ maxSubscriptionsPerCaller: 2 }, { servers: { s: fixture('legacy') } });
    await api.toolbox.servers.connect('s');
    const [key, other] = [await api.key(['call']), await api.key(['call'])];
    const [one, two] = [await initialize(api, key), await initialize(api, key)];
    const subscribe = (session: string, uri: string, by = key) =>
      send(api, { key: by, session }, 'resources/subscribe', { uri });
    expect((await subscribe(one.session, 'memo://a')).body).toMatchObject({ result: {} });
    expect((await subscribe(two.session, 'memo://b')).body).toMatchObject({ result: {} });
    const { response, body } = await subscribe(two.session, 'memo://c');
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(body.error?.message).toContain('limit of 2 subscribed resources per caller');
    expect(await metrics(api)).toContain('toolwharf_limit_used{limit="subscriptions"} 2');
    const { session } = await initialize(api, other);
    expect((await subscribe(session, 'memo://c', other)).body).toMatchObject({ result: {} });
    await send(api, { key, session: one.session }, 'resources/unsubscribe', { uri: 'memo://a' });
    expect((await subscribe(two.session, 'memo://c')).body).toMatchObject({ result: {} });
    for (const ended of [one, two])
      await fetch(`${api.url}/mcp`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key}`, 'mcp-session-id': ended.session },
      });
    expect(await metrics(api)).toContain('toolwharf_limit_used{limit="subscriptions"} 1');
  });

  test('a subscription to a URI that is too long to be kept is refused', async () => {
    await using api = await startLimited({}, { servers: { s: fixture('legacy') } });
    await api.toolbox.servers.connect('s');
    const key = await api.key(['call']);
    const { session } = await initialize(api, key);
    const uri = `memo://${'x'.repeat(9_000)}`;
    const { body } = await send(api, { key, session }, 'resources/subscribe', { uri });
    expect(body.error?.message).toContain('8192 characters at most');
  });
});

test('a caller with too many reads in progress gets 429 with Retry-After, over MCP and the API, for searches too', async () => {
  await using api = await startLimited(
    { maxReadsPerCaller: 1 },
    { servers: { s: fixture('legacy') }, profiles: { default: { expose: 'search', approval: { reads: 'ask' } } } },
  );
  await api.toolbox.servers.connect('s');
  const [key, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
  const { session } = await initialize(api, key);
  const leaving = new AbortController();
  const readUrl = `${api.url}/api/servers/s/resources/read?uri=memo://one`;
  const waiting = fetch(readUrl, { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal }).catch(
    () => {},
  );
  await waitFor(async () => metric(await metrics(api), 'toolwharf_limit_used{limit="reads"}') === 1);
  const refused = [
    await send(api, { key, session }, 'resources/read', { uri: 'memo://two' }),
    await send(api, { key, session }, 'prompts/get', { name: 's__plain' }),
    await send(api, { key, session }, 'tools/call', { name: 'search_tools', arguments: { query: 'echo' } }),
    await send(api, { key, session }, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 's__greet' },
      argument: { name: 'tone', value: '' },
    }),
  ];
  for (const { response, body } of refused) {
    expect(response.status).toBe(429);
    expect(body.error?.message).toContain('limit of 1 reads, searches and completions in progress per caller');
  }
  const overApi = await fetch(readUrl, { headers: { authorization: `Bearer ${key}` } });
  expect(overApi.status).toBe(429);
  expect(overApi.headers.get('retry-after')).toBe('1');
  const others = await initialize(api, other);
  const completed = await send(api, { key: other, session: others.session }, 'completion/complete', {
    ref: { type: 'ref/prompt', name: 's__greet' },
    argument: { name: 'tone', value: '' },
  });
  expect(completed.response.status).toBe(200);
  leaving.abort();
  await waiting;
  await waitFor(async () => metric(await metrics(api), 'toolwharf_limit_used{limit="reads"}') === 0);
});
