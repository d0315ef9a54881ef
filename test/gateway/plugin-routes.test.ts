import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { definePlugin, localTool, ToolwharfError } from '../../packages/toolwharf/index.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { openToolbox } from '../support/toolbox.ts';

const note = z.strictObject({ id: z.string(), text: z.string().max(100) });

/** Keeps notes, and counts the calls of each tool. */
const notes = definePlugin({
  name: 'notes',
  records: { notes: { schema: note, isSealed: true }, counts: {} },
  async result({ tool }, _result, { records: { counts } }) {
    const id = tool;
    const before = (await counts?.get(id)) as { readonly calls?: number } | undefined;
    await counts?.put({ id, calls: (before?.calls ?? 0) + 1 } as { id: string });
    return undefined;
  },
  routes: [
    {
      method: 'get',
      path: '/counts/{tool}',
      right: 'tools.read',
      summary: 'How often a tool was called.',
      handle: async ({ params, caller }, { records: { counts } }) => ({
        tool: params.tool,
        found: (await counts?.get(params.tool ?? '')) ?? null,
        by: caller.id,
      }),
    },
    {
      method: 'put',
      path: '/notes/{id}',
      body: z.strictObject({ text: z.string(), revision: z.number().optional() }),
      async handle({ params, body }, { records }) {
        const { text, revision } = body as { readonly text: string; readonly revision?: number };
        const stored = await records.notes?.put({ id: params.id, text } as { id: string }, revision);
        if (!stored) throw new ToolwharfError('CONFLICT', 'The note was changed meanwhile');
        return { ...stored };
      },
    },
    {
      method: 'get',
      path: '/notes',
      query: z.strictObject({ limit: z.coerce.number().int().min(1).optional() }),
      async handle({ query }, { records }) {
        const { limit = 10 } = query as { readonly limit?: number };
        return { notes: ((await records.notes?.list()) ?? []).slice(0, limit) };
      },
    },
    {
      method: 'delete',
      path: '/notes/{id}',
      handle: async ({ params }, { records }) => ({ removed: await records.notes?.remove(params.id ?? '') }),
    },
    {
      method: 'get',
      path: '/broken',
      handle: () => {
        throw new Error('the password is hush');
      },
    },
  ],
});

const echo = localTool({ name: 'echo', execute: () => 'ahoy' });

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ servers: {} }, { toolbox: { plugins: [notes] }, tools: [echo] });
});
afterAll(() => api.close());

const admin = () => ({ key: api.adminToken });

describe('routes of a plugin', () => {
  test('a route of a plugin needs the right that it names, and that of administrators if it names none', async () => {
    const reader = { key: await api.key(['read']) };
    const caller = { key: await api.key(['call']) };
    expect((await api.get('/api/plugins/notes/counts/echo', { key: 'twk_unknown' })).status).toBe(401);
    expect((await api.get('/api/plugins/notes/counts/echo', caller)).body).toMatchObject({
      error: {
        code: 'FORBIDDEN',
        message: "This request needs the permission 'tools.read'. Built-in roles with it: admin, approver, member",
      },
    });
    expect((await api.get('/api/plugins/notes/counts/echo', reader)).status).toBe(200);
    expect((await api.get('/api/plugins/notes/notes', reader)).body).toMatchObject({
      error: { message: "This request needs the permission 'plugins.manage'. Built-in roles with it: admin" },
    });
  });

  test('a route of a plugin gets what its schemas parse, and refuses anything else', async () => {
    const stored = await api.put('/api/plugins/notes/notes/a%2Fb', { text: 'buy apples' }, admin());
    expect(stored.body).toEqual({ id: 'a/b', text: 'buy apples', revision: 1 });
    expect(await api.put('/api/plugins/notes/notes/x', { words: 1 }, admin())).toMatchObject({
      status: 400,
      body: { error: { code: 'REQUEST_INVALID', data: { problems: [{ path: 'body' }, { path: 'body' }] } } },
    });
    expect((await api.get('/api/plugins/notes/notes?limit=none', admin())).body.error.code).toBe('REQUEST_INVALID');
    expect((await api.get('/api/plugins/notes/notes?limit=1', admin())).body).toEqual({ notes: [stored.body] });
    expect(
      (await api.put('/api/plugins/notes/notes/x', { text: 'x'.repeat(101) }, admin())).body.error.message,
    ).toMatch(/^A record of notes\/notes cannot be stored: text: /);
    expect((await api.delete('/api/plugins/notes/notes/a%2Fb', admin())).body).toEqual({ removed: true });
  });

  test('a route of a plugin that fails answers without the cause, which is logged and counted', async () => {
    expect(await api.get('/api/plugins/notes/broken', admin())).toMatchObject({
      status: 500,
      body: { error: { code: 'INTERNAL', message: 'Internal error' } },
    });
    expect(api.log).toContainEqual(expect.objectContaining({ event: 'plugin.hook-failed', level: 'error' }));
    const { plugins } = (await api.get('/api/config', admin())).body;
    const shown = plugins.find(({ name }: { name: string }) => name === 'notes');
    expect(shown.parts).toEqual(['result', 'routes', 'records notes', 'records counts']);
    expect(shown.hooks).toContainEqual(expect.objectContaining({ hook: 'routes', failures: 1 }));
  });

  test('other paths and methods of plugins do not exist, and the OpenAPI document has the routes', async () => {
    for (const path of ['notes/none', 'notes', 'other/notes', 'notes/counts/', '../notes/notes'])
      expect((await api.get(`/api/plugins/${path}`, admin())).status, path).toBe(404);
    expect(await api.post('/api/plugins/notes/notes', {}, admin())).toMatchObject({
      status: 405,
      body: { error: { message: 'This path supports only GET' } },
    });
    const { paths } = (await api.get('/api/openapi.json', admin())).body;
    expect(paths['/api/plugins/notes/counts/{tool}'].get).toMatchObject({
      summary: 'How often a tool was called.',
      'x-right': 'tools.read',
      parameters: [{ name: 'tool', in: 'path' }],
    });
    expect(Object.keys(paths).filter((path) => path.startsWith('/api/plugins/'))).toHaveLength(4);
  });

  test('a change over a route of a plugin is recorded as an act of administration, without its body', async () => {
    await api.put('/api/plugins/notes/notes/recorded', { text: 'in confidence' }, admin());
    const acts = await api.storage.journal.list({ kind: 'administration' });
    expect(acts[0]).toMatchObject({ originalName: 'plugin:notes:put:/notes/{id}', arguments: { id: 'recorded' } });
    expect(JSON.stringify(acts)).not.toContain('in confidence');
  });
});

describe('records of a plugin', () => {
  test('hooks store records, which a later gateway on the same storage has', async () => {
    const storage = await openStorage({ kind: 'memory' });
    const open = () => startApi({ servers: {} }, { storage, toolbox: { plugins: [notes] }, tools: [echo] });
    const first = await open();
    await first.toolbox.call('echo', {});
    await first.toolbox.call('echo', {});
    expect((await first.get('/api/plugins/notes/counts/echo', { key: first.adminToken })).body.found).toEqual({
      id: 'echo',
      calls: 2,
      revision: 2,
    });
  });

  test('of two writers of one revision, the later is told that the record has changed', async () => {
    const put = (text: string, revision?: number) =>
      api.put('/api/plugins/notes/notes/shared', { text, revision }, admin());
    expect((await put('first', 0)).body.revision).toBe(1);
    const results = await Promise.all([put('one', 1), put('two', 1)]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await put('again', 0)).body.error.code).toBe('CONFLICT');
  });

  test('in the library, records of a plugin last as long as the toolbox', async () => {
    const seen: unknown[] = [];
    const counts = definePlugin({
      name: 'counts',
      records: { tools: {} },
      async review({ tool }, { records: { tools } }) {
        seen.push(await tools?.get(tool));
        await tools?.put({ id: tool });
        return undefined;
      },
    });
    await using toolbox = await openToolbox({ servers: {} }, { tools: [echo], plugins: [counts] });
    await toolbox.call('echo', {});
    await toolbox.call('echo', {});
    expect(seen).toEqual([undefined, { id: 'echo', revision: 1 }]);
  });

  test.each([
    [{ records: { Notes: {} } }, /must have 1 to 40 characters/],
    [{ records: { notes: { schema: {} } } }, /must be a Standard Schema/],
    [{ routes: [{ method: 'get', path: '/x' }] }, /needs a function 'handle'/],
    [{ routes: [{ method: 'patch', path: '/x', handle: () => ({}) }] }, /must be get, post, put or delete/],
    [{ routes: [{ method: 'get', path: 'x/../y', handle: () => ({}) }] }, /must be like \/reports\/\{id\}/],
    [{ routes: [{ method: 'get', path: '/x', right: 'public', handle: () => ({}) }] }, /must be a permission/],
  ])('a plugin with a wrong route or kind of records is refused: %j', async (parts, message) => {
    const plugin = { name: 'wrong', ...parts } as never;
    await expect(openToolbox({ servers: {} }, { plugins: [plugin] })).rejects.toThrow(message);
  });
});
