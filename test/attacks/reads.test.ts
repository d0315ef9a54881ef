import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToolbox } from '../../packages/toolwharf/toolbox.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    servers: { old: fixture('legacy'), new: fixture('modern') },
    profiles: {
      ...Object.fromEntries(
        ['old', 'new'].flatMap((server) => [
          [`${server}-narrow`, { servers: [server], resources: ['memo://one'], prompts: ['*/greet'] }],
          [`${server}-none`, { servers: [server], resources: [], prompts: [] }],
          [`${server}-asking`, { servers: [server], approval: { reads: 'ask' } }],
          [`${server}-client`, { servers: [server], approval: { reads: 'ask', approvers: 'client' } }],
        ]),
      ),
      folder: { servers: ['old'], resources: ['memo://docs/*'] },
    },
  });
});
afterAll(() => api.close());

const cells = (['legacy', 'auto'] as const).flatMap((era) => ['old', 'new'].map((server) => ({ era, server })));
const open = async (profile: string, era: 'legacy' | 'auto' = 'auto', elicit?: () => object) => {
  const key = await api.key(['read', 'call'], profile);
  return { key, ...(await connectClient(`${api.url}/mcp`, { era, key, ...(elicit && { elicit }) })) };
};
const pendingRead = (key: string) =>
  waitFor(async () => (await api.get('/api/approvals?status=pending', { key })).body.approvals[0] as { id: string }, {
    what: 'the approval of the read',
  }) as Promise<{ id: string }>;

describe.each(cells)('a client of the $era era, with the server $server', ({ era, server }) => {
  test('the client sees and reads only the resources and prompts of its profile', async () => {
    const { client } = await open(`${server}-narrow`, era);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['memo://one']);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([`${server}__greet`]);
    expect((await client.readResource({ uri: 'memo://one' })).contents).toHaveLength(1);
    await expect(client.readResource({ uri: 'memo://two' })).rejects.toThrow('not found');
    await expect(client.readResource({ uri: 'memo://three' })).rejects.toThrow('not found');
    await expect(client.getPrompt({ name: `${server}__plain` })).rejects.toThrow('Unknown prompt');
    const argument = { name: 'tone', value: '' };
    await expect(client.complete({ ref: { type: 'ref/prompt', name: `${server}__plain` }, argument })).rejects.toThrow(
      'Unknown prompt',
    );
    await expect(client.complete({ ref: { type: 'ref/resource', uri: 'memo://{name}' }, argument })).rejects.toThrow(
      'not found',
    );
    await client.close();
  });

  test('the client has its subscriptions to resources recorded', async () => {
    const { client, key } = await open(`${server}-narrow`, era);
    if (era === 'legacy') await client.subscribeResource({ uri: 'memo://one' });
    else await client.listen({ resourceSubscriptions: ['memo://one'] });
    const { calls } = (await api.get('/api/calls', { key })).body;
    expect(calls).toContainEqual(
      expect.objectContaining({
        kind: 'resource',
        server,
        originalName: 'resources/subscribe',
        arguments: { uri: 'memo://one' },
        status: 'success',
      }),
    );
    await client.close();
  });

  test('the client reads nothing where the lists are empty', async () => {
    const { client } = await open(`${server}-none`, era);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listPrompts()).prompts).toEqual([]);
    await expect(client.readResource({ uri: 'memo://one' })).rejects.toThrow('not found');
    await client.close();
  });

  test('reads are recorded, and wait for approval where the profile asks', async () => {
    const { client, key } = await open(`${server}-asking`, era);
    const reading = client.readResource({ uri: 'memo://one' });
    const { id } = await pendingRead(key);
    expect((await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key })).status).toBe(403);
    await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key: api.adminToken });
    expect((await reading).contents).toHaveLength(1);
    const denied = client.getPrompt({ name: `${server}__plain` }).catch(String);
    const asked = await pendingRead(key);
    await api.post(`/api/approvals/${asked.id}/answer`, { answer: 'deny', reason: 'no' }, { key: api.adminToken });
    expect(await denied).toContain('denied');
    const { calls } = (await api.get('/api/calls', { key })).body;
    expect(calls).toMatchObject([
      { kind: 'prompt', tool: 'prompts/get', arguments: { name: 'plain' }, status: 'error', end: 'denied', server },
      { kind: 'resource', tool: 'resources/read', arguments: { uri: 'memo://one' }, status: 'success', server },
    ]);
    await client.close();
  });

  test('the client is asked if the profile has approvers: client', async () => {
    let asked = 0;
    const { client } = await open(`${server}-client`, era, () => {
      asked++;
      return { action: 'accept', content: { answer: 'once' } };
    });
    expect((await client.readResource({ uri: 'memo://one' })).contents).toHaveLength(1);
    expect(asked).toBe(1);
    await client.close();
  });
});

test.each(['mcp', 'api'])(
  'a read over %s that waits for approval is not made after its key was revoked',
  async (face) => {
    const { key, client } = await open('old-asking');
    const reading =
      face === 'mcp'
        ? client.readResource({ uri: 'memo://one' }).catch(String)
        : api
            .get('/api/servers/old/resources/read?uri=memo://one', { key })
            .then(({ status }) => String(status), String);
    const { id } = await pendingRead(key);
    const [{ id: callId }] = (await api.get('/api/calls?limit=1', { key })).body.calls;
    const { keys } = (await api.get('/api/keys', { key: api.adminToken })).body;
    await api.delete(`/api/keys/${keys.at(-1).id}`, { key: api.adminToken });
    await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key: api.adminToken });
    expect(await reading).not.toContain('contents');
    const ended = await waitFor(async () => {
      const { body } = await api.get(`/api/calls/${callId}`, { key: api.adminToken });
      return body.status === 'error' && body;
    });
    expect(ended).not.toHaveProperty('startedAt');
    await client.close().catch(() => {});
  },
);

test('a read is cancelled over the API by the id of its call', async () => {
  const { client, key } = await open('old-asking');
  const reading = client.readResource({ uri: 'memo://one' }).catch(String);
  await pendingRead(key);
  const [{ id }] = (await api.get('/api/calls?limit=1', { key })).body.calls;
  expect((await api.post(`/api/calls/${id}/cancel`, {}, { key })).status).toBe(204);
  expect(await reading).toContain('cancelled');
  expect((await api.get(`/api/calls/${id}`, { key })).body).toMatchObject({ kind: 'resource', end: 'cancelled' });
  await client.close();
});

test('a pattern over URIs cannot be left by a path with `..`, plain or encoded', async () => {
  const { client } = await open('folder');
  expect((await client.readResource({ uri: 'memo://docs/a' })).contents).toHaveLength(1);
  for (const uri of ['memo://docs/../one', 'memo://docs/%2e%2e/one', 'memo://docs/%252E%252e%2fone'])
    await expect(client.readResource({ uri })).rejects.toThrow('not found');
  await client.close();
});

test('REST shows and reads only the resources and prompts of the profile, and records reads', async () => {
  const key = await api.key(['read', 'call'], 'old-narrow');
  const get = (path: string) => api.get(`/api/servers/old/${path}`, { key });
  const { resources, resourceTemplates } = (await get('resources')).body;
  expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['memo://one']);
  expect(resourceTemplates).toEqual([]);
  expect((await get('prompts')).body.prompts.map(({ name }: { name: string }) => name)).toEqual(['greet']);
  expect((await get('resources/read?uri=memo://one')).status).toBe(200);
  expect((await get('resources/read?uri=memo://two')).status).toBe(404);
  expect((await api.post('/api/servers/old/prompts/plain', {}, { key })).status).toBe(404);
  const { calls } = (await api.get('/api/calls?limit=10', { key })).body;
  expect(calls.at(-1)).toMatchObject({ kind: 'resource', arguments: { uri: 'memo://one' }, status: 'success' });
});

test('in the library, reads are recorded and ask the approver', async () => {
  const asked: string[] = [];
  await using toolbox = await createToolbox(
    { servers: { s: fixture('legacy') }, toolbox: { approval: { reads: 'ask' } } },
    {
      approver: {
        async ask({ tool, arguments: { uri } }) {
          asked.push(`${tool} ${uri}`);
          return uri === 'memo://one' ? { kind: 'allow' } : { kind: 'deny' };
        },
      },
    },
  );
  expect((await toolbox.resources.read('s', 'memo://one')).contents).toHaveLength(1);
  await expect(toolbox.resources.read('s', 'memo://two')).rejects.toMatchObject({ code: 'CALL_DENIED' });
  expect(asked).toEqual(['resources/read memo://one', 'resources/read memo://two']);
  const statuses = (await toolbox.calls.list()).map(({ kind, status, end }) => ({ kind, status, end }));
  expect(statuses).toEqual([
    { kind: 'resource', status: 'error', end: 'denied' },
    { kind: 'resource', status: 'success', end: undefined },
  ]);
});
