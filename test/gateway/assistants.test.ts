import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture, startHttp } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({
    servers: { files: fixture('legacy'), many: fixture('legacy', { TOOLS: '50' }), gone: fixture('crash-on-start') },
    gateway: { listWait: '5s' },
    profiles: { narrow: { servers: ['files'], deny: ['files/write'] } },
  });
});
afterAll(() => api.close());

describe('an assistant', () => {
  test('an assistant has a model, servers, an approval mode, trusted tools and limits [R8]', async () => {
    const id = randomUUID();
    const path = `/api/assistants/${id}`;
    const created = await api.put(path, { name: 'Scribe', serverIds: ['files'] });
    expect(created.body).toEqual({
      id,
      name: 'Scribe',
      description: '',
      instructions: '',
      model: { provider: 'demo', model: 'demo' },
      serverIds: ['files'],
      disabledTools: [],
      expose: 'all',
      toolApproval: 'always-ask',
      trustedTools: [],
      maxSteps: 20,
      revision: 1,
    });
    const settings = {
      name: 'Scribe',
      description: 'Writes',
      instructions: 'Write well.',
      disabledTools: ['files/write'],
      expose: 'search',
      toolApproval: 'trusted-only',
      trustedTools: ['*_echo'],
      maxSteps: 3,
      maxTokens: 1_000,
    };
    await api.put(path, settings);
    expect((await api.get(path)).body).toMatchObject({ ...settings, serverIds: [] });
    expect((await api.get('/api/assistants')).body.assistants.map(({ name }: { name: string }) => name)).toEqual([
      'Demo assistant',
      'Scribe',
    ]);
    expect((await api.put(path, { name: 'Scribe', toolApproval: 'never' })).status).toBe(400);
    expect((await api.put(path, { name: 'Scribe', settings: {} })).status).toBe(400);
    expect((await api.get('/api/assistants/not-a-uuid')).status).toBe(400);
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.delete(path)).status).toBe(404);
    expect((await api.get(path)).status).toBe(404);
  });

  test('an assistant shows its instructions to administrators only', async () => {
    const id = randomUUID();
    await api.put(`/api/assistants/${id}`, { name: 'Secretive', instructions: 'The password is swordfish.' });
    const key = await api.key(['read', 'call']);
    const shown = await api.get(`/api/assistants/${id}`, { key });
    expect(JSON.stringify(shown.body)).not.toContain('swordfish');
    expect(JSON.stringify((await api.get('/api/assistants', { key })).body)).not.toContain('swordfish');
    await api.delete(`/api/assistants/${id}`);
  });
});

describe('the preview of an assistant', () => {
  interface Preview {
    readonly tools: readonly { readonly name: string; readonly enabled: boolean }[];
    readonly count: number;
    readonly estimatedTokens: number;
    readonly warning?: string;
    readonly missingServers: readonly object[];
  }

  const preview = async (body: object, key?: string): Promise<Preview> =>
    (await api.post('/api/assistants/preview', { name: 'x', ...body }, key === undefined ? {} : { key })).body;

  test('the preview of an assistant shows the tools that it would have, without storing it', async () => {
    await waitFor(async () => (await api.get('/api/servers/files')).body.status.state === 'connected');
    const { tools, count, estimatedTokens, warning } = await preview({
      serverIds: ['files'],
      disabledTools: ['files/write', 'files/e*'],
    });
    expect(tools.find(({ name }) => name === 'mcp_files_add')).toMatchObject({ server: 'files', enabled: true });
    expect(tools.filter(({ enabled }) => !enabled).map(({ name }) => name)).toEqual([
      'mcp_files_echo',
      'mcp_files_env',
      'mcp_files_write',
    ]);
    expect(count).toBe(tools.length - 3);
    expect(estimatedTokens).toBeGreaterThan(100);
    expect(warning).toBeUndefined();
    expect((await api.get('/api/assistants')).body.assistants).toHaveLength(1);
  });

  test('the preview of an assistant warns about too many tools and missing servers', async () => {
    await waitFor(async () => (await api.get('/api/servers/many')).body.status.state === 'connected');
    await waitFor(async () => (await api.get('/api/servers/gone')).body.status.state === 'error');
    const { count, warning, missingServers } = await preview({ serverIds: ['many', 'gone', 'never'] });
    expect(count).toBe(50);
    expect(warning).toContain('50 tools');
    expect(missingServers).toMatchObject([{ id: 'gone' }, { id: 'never' }]);
  });

  test('the preview of an assistant finds a stored server by its id', async () => {
    await using remote = await startHttp('legacy-http');
    const { body } = await api.post('/api/servers', { name: 'far', transport: 'http', url: remote.url });
    const { tools, missingServers } = await preview({ serverIds: [body.id] });
    expect(tools.map(({ name }) => name)).toContain('mcp_far_echo');
    expect(missingServers).toEqual([]);
    await api.delete('/api/servers/far');
  });

  test('the preview of an assistant shows callers only what their profile includes', async () => {
    const key = await api.key(['read'], 'narrow');
    const { tools } = await preview({ serverIds: ['files', 'many'] }, key);
    expect(tools.map(({ name }) => name)).toContain('mcp_files_echo');
    expect(tools.some(({ name }) => name === 'mcp_files_write' || name.startsWith('mcp_many'))).toBe(false);
  });
});

test('every route of assistants was called', () => {
  expect(unasked(({ group }) => group === 'assistants')).toEqual([]);
});
