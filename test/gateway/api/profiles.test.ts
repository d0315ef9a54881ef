import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture, tempDir } from '../../support/fixtures.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const config = {
  servers: { notes: fixture('legacy'), other: fixture('legacy') },
  profiles: { reading: { servers: ['notes'], allow: ['notes/echo'] } },
};

let api: TestApi;
let directory: Awaited<ReturnType<typeof tempDir>>;
beforeAll(async () => {
  directory = await tempDir();
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  api = await startApi(directory.file('toolwharf.json'), { watch: true, env: { PATH: process.env.PATH } });
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

const toolsOf = async (profile: string) => {
  await using client = await connectMcp(`${api.url}/mcp/${profile}`, 'modern');
  return (await client.client.listTools()).tools.map(({ name }) => name);
};

test('a profile that is created over the API is served at its own URL with its own policy', async () => {
  const settings = {
    servers: ['notes'],
    allow: ['notes/echo', 'notes/add'],
    approval: { mode: 'always-ask', expires: '2m' },
  };
  const created = await api.post('/api/profiles', { name: 'writers', description: 'For writers', ...settings });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    name: 'writers',
    source: 'store',
    path: '/mcp/writers',
    mode: 'always-ask',
    approval: { expiresMs: 120_000, approvers: 'admins' },
    settings: { approval: { mode: 'always-ask', expires: 120_000 } },
    keys: 0,
  });
  expect(await toolsOf('writers')).toEqual(['notes__echo', 'notes__add']);

  const key = await api.key(['read', 'call'], 'writers');
  expect((await api.get('/api/tools', { key })).body.tools).toHaveLength(2);
  await using client = await connectMcp(`${api.url}/mcp/writers`, 'legacy');
  const calling = client.text('notes__echo', { text: 'hi' });
  const asked = await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals[0]);
  await api.post(`/api/approvals/${asked.id}/answer`, { answer: 'allow' });
  expect(await calling).toContain('hi');
});

test('names of profiles cannot collide, and profiles of the file are read-only', async () => {
  for (const name of ['writers', 'reading', 'default'])
    expect((await api.post('/api/profiles', { name })).body.error).toMatchObject({
      code: 'CONFLICT',
      message: `There is a profile named '${name}' already: choose another name`,
    });
  const { body } = await api.get('/api/profiles/reading');
  expect(body).toMatchObject({ source: 'file', readOnly: expect.stringContaining('can only be changed there') });
  for (const answer of [await api.put('/api/profiles/reading', {}), await api.delete('/api/profiles/reading')])
    expect(answer.body.error).toMatchObject({ code: 'CONFLICT', message: body.readOnly });
  expect((await api.post('/api/profiles', { name: 'Not Allowed' })).status).toBe(400);
  expect((await api.post('/api/profiles', { name: 'x', deny: ['!a'] })).status).toBe(400);
  expect((await api.put('/api/profiles/none', {})).status).toBe(404);
});

test('a change of a profile reaches the open sessions of both eras at once', async () => {
  await using legacy = await connectMcp(`${api.url}/mcp/writers`, 'legacy');
  const notices = () => legacy.notices.map(({ method }) => method);
  expect((await legacy.client.listTools()).tools).toHaveLength(2);
  const { revision, settings } = (await api.get('/api/profiles/writers')).body;
  const changed = await api.put('/api/profiles/writers', { ...settings, deny: ['notes/add'], revision });
  expect(changed.status).toBe(200);
  await waitFor(() =>
    ['tools', 'prompts', 'resources'].every((kind) => notices().includes(`notifications/${kind}/list_changed`)),
  );
  expect((await legacy.client.listTools()).tools.map(({ name }) => name)).toEqual(['notes__echo']);
  expect(await toolsOf('writers')).toEqual(['notes__echo']);
});

test('a call that waits for approval is denied when its profile hides the tool meanwhile', async () => {
  await using client = await connectMcp(`${api.url}/mcp/writers`, 'legacy');
  const calling = client.client.callTool({ name: 'notes__echo', arguments: { text: 'late' } }).catch((error) => error);
  const asked = await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals[0]);
  await api.put('/api/profiles/writers', { servers: ['other'] });
  await api.post(`/api/approvals/${asked.id}/answer`, { answer: 'allow' });
  expect(String(await calling)).toContain('notes__echo');
});

test('a profile that keys use cannot be deleted; without keys its sessions end', async () => {
  const refused = await api.delete('/api/profiles/writers');
  expect(refused.status).toBe(409);
  expect(refused.body.error.message).toMatch(
    /^Profile 'writers' cannot be deleted, because the key '.*' uses it: revoke it first$/,
  );
  const [key] = (await api.get('/api/keys')).body.keys;
  await api.delete(`/api/keys/${key.id}`);
  expect((await api.delete('/api/profiles/writers')).status).toBe(204);
  expect((await api.delete('/api/profiles/writers')).status).toBe(404);
  await expect(toolsOf('writers')).rejects.toThrow();
});

test('the built-in profile default can be replaced and comes back when it is deleted', async () => {
  expect((await api.get('/api/profiles/default')).body).toMatchObject({ source: 'built-in' });
  expect((await api.put('/api/profiles/default', { servers: ['notes'], allow: ['notes/echo'] })).body.source).toBe(
    'store',
  );
  expect(await toolsOf('default')).toEqual(['notes__echo']);
  await api.delete('/api/profiles/default');
  expect((await toolsOf('default')).length).toBeGreaterThan(2);
});

test('the file wins over a stored profile of the same name, which comes back when the file no longer has it', async () => {
  await api.post('/api/profiles', { name: 'shared', allow: ['notes/echo'] });
  const inFile = { ...config, profiles: { ...config.profiles, shared: { allow: ['notes/add'] } } };
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(inFile));
  await waitFor(async () => (await api.get('/api/profiles/shared')).body.source === 'file');
  expect(await toolsOf('shared')).toEqual(['notes__add']);
  expect(api.log.filter(({ event }) => event === 'profiles.shadowed')).toHaveLength(1);
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  await waitFor(async () => (await api.get('/api/profiles/shared')).body.source === 'store');
  expect(await toolsOf('shared')).toEqual(['notes__echo']);
});

test('acts on profiles are recorded with their settings, and callers without rights change none', async () => {
  const { calls } = (await api.get('/api/calls?kind=administration')).body;
  expect(calls.map(({ originalName }: { originalName: string }) => originalName)).toContain('removeProfile');
  expect(calls.find(({ originalName }: { originalName: string }) => originalName === 'createProfile')).toMatchObject({
    arguments: { name: expect.any(String) },
  });
  const key = await api.key(['read', 'call'], 'reading');
  expect((await api.get('/api/profiles', { key })).body.profiles).toEqual([
    {
      name: 'reading',
      path: '/mcp/reading',
      source: 'file',
      readOnly: expect.any(String),
      naming: 'server__tool',
      expose: 'all',
      exposeBudget: 10_000,
      newTools: 'show',
      mode: 'auto',
    },
  ]);
  expect((await api.get('/api/profiles/shared', { key })).status).toBe(404);
  for (const answer of [
    await api.post('/api/profiles', { name: 'mine' }, { key }),
    await api.put('/api/profiles/shared', {}, { key }),
    await api.delete('/api/profiles/shared', { key }),
  ])
    expect(answer.status).toBe(403);
});
