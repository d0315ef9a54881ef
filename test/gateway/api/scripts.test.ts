import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../../support/api.ts';
import { fixture, tempDir } from '../../support/fixtures.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const config = {
  servers: { notes: fixture('legacy') },
  toolbox: { chains: { shout: { code: 'input', description: 'Of the file' }, twice: { steps: [{ tool: 'shout' }] } } },
  profiles: { narrow: { allow: ['local/*'] } },
};

let api: TestApi;
let directory: Awaited<ReturnType<typeof tempDir>>;
beforeAll(async () => {
  directory = await tempDir();
  await writeFile(directory.file('toolwharf.json'), JSON.stringify(config));
  api = await startApi(directory.file('toolwharf.json'), { watch: true, env: { PATH: process.env.PATH } });
  await waitFor(async () => (await api.get('/api/servers/notes')).body.status.state === 'connected');
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

const greet = {
  name: 'greet',
  description: 'Greets a person',
  input: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
  code: 'const text: string = await tools.notes.echo({ text: `Hello ${input.who}` }); ({ text })',
};

test('a script that is saved over the API is a tool of MCP clients, whose calls are recorded as its children', async () => {
  const created = await api.post('/api/scripts', { ...greet, timeout: '30s' });
  expect(created).toMatchObject({
    status: 201,
    body: { ...greet, source: 'store', tool: 'greet', timeoutMs: 30_000, updatedAt: expect.any(String) },
  });
  await using client = await connectMcp(`${api.url}/mcp`, 'modern');
  expect((await client.client.listTools()).tools.find(({ name }) => name === 'greet')).toMatchObject({
    description: greet.description,
    inputSchema: greet.input,
  });
  const { structuredContent } = await client.client.callTool({ name: 'greet', arguments: { who: 'Ada' } });
  expect(structuredContent).toEqual({ text: 'Hello Ada' });
  const { calls } = (await api.get('/api/calls?limit=10')).body;
  const script = calls.find(({ tool }: { tool: string }) => tool === 'greet');
  expect(calls.find(({ tool }: { tool: string }) => tool === 'mcp_notes_echo')).toMatchObject({
    parent: { kind: 'call', id: script.id },
  });
  expect((await api.get('/api/tools/greet')).body.chain).toEqual({ code: greet.code });
  expect((await client.client.callTool({ name: 'greet', arguments: {} })).isError).toBe(true);
});

test('a saved script can call only the tools that the profile of its caller shows', async () => {
  await using client = await connectMcp(`${api.url}/mcp/narrow`, 'modern');
  expect(await client.text('greet', { who: 'Ada' })).toContain('Unknown tool: tools.notes.echo');
});

test('only administrators see and change scripts, and each change is an act in the journal', async () => {
  const key = await api.key(['read', 'call']);
  for (const answer of [
    await api.get('/api/scripts', { key }),
    await api.get('/api/scripts/greet', { key }),
    await api.post('/api/scripts', { name: 'mine', code: '1' }, { key }),
    await api.put('/api/scripts/greet', { code: '1' }, { key }),
    await api.delete('/api/scripts/greet', { key }),
  ])
    expect(answer.status).toBe(403);
  const { calls } = (await api.get('/api/calls?kind=administration')).body;
  expect(calls.map(({ originalName }: { originalName: string }) => originalName)).toContain('createScript');
  expect((await api.get('/api/calls?kind=administration')).body.calls).not.toContainEqual(
    expect.objectContaining({ originalName: 'updateScript' }),
  );
});

test('names of scripts cannot collide with other local tools, and scripts of the file are read-only', async () => {
  for (const name of ['greet', 'shout', 'twice'])
    expect((await api.post('/api/scripts', { name, code: '1' })).body.error).toMatchObject({
      code: 'CONFLICT',
      message: `There is a tool named '${name}' already: choose another name`,
    });
  const { body } = await api.get('/api/scripts/shout');
  expect(body).toMatchObject({
    source: 'file',
    tool: 'shout',
    readOnly: expect.stringContaining('only be changed there'),
  });
  for (const answer of [await api.put('/api/scripts/shout', { code: '1' }), await api.delete('/api/scripts/shout')])
    expect(answer.body.error).toMatchObject({ code: 'CONFLICT', message: body.readOnly });
  expect((await api.get('/api/scripts/none')).status).toBe(404);
  expect((await api.delete('/api/scripts/none')).status).toBe(404);
});

test.each([
  ['a name that tools cannot have', { name: 'Not allowed', code: '1' }, 400],
  ['no code', { name: 'x', code: '' }, 400],
  ['a schema that is not one of an object', { name: 'x', code: '1', input: { type: 'string' } }, 400],
  ['steps', { name: 'x', code: '1', steps: [] }, 400],
  ['wrong syntax', { name: 'x', code: 'const a = 1;\nconst a = 2;' }, 400],
])('a script with %s is refused', async (_, body, status) => {
  expect((await api.post('/api/scripts', body)).status).toBe(status);
});

test('a wrong script is refused with the line of its error', async () => {
  const { error } = (await api.post('/api/scripts', { name: 'x', code: 'const a: number = 1;\nawait (' })).body;
  expect(error).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/Script 'x': SyntaxError.*line 2/s),
  });
});

test('a changed script is another definition', async () => {
  const before = (await api.get('/api/scripts/greet')).body;
  const hash = (await api.get('/api/tools/greet')).body.definitionHash;
  const next = { code: '`Good morning ${input.who}`', input: greet.input };
  const changed = await api.put('/api/scripts/greet', { ...next, revision: before.revision });
  expect(changed.body).toMatchObject({ ...next, timeoutMs: 300_000 });
  expect((await api.get('/api/tools/greet')).body.definitionHash).not.toBe(hash);
  await using client = await connectMcp(`${api.url}/mcp`, 'legacy');
  expect(await client.text('greet', { who: 'Ada' })).toBe('Good morning Ada');
});

test('a script of the configuration file takes the place of a saved one of the same name, until it is removed again', async () => {
  await api.post('/api/scripts', { name: 'both', code: "'saved'" });
  const write = (chains: object) =>
    writeFile(directory.file('toolwharf.json'), JSON.stringify({ ...config, toolbox: { chains } }));
  await using client = await connectMcp(`${api.url}/mcp`, 'legacy');
  await write({ both: { code: "'of the file'" } });
  await waitFor(async () => (await client.text('both')) === 'of the file');
  expect((await api.get('/api/scripts/both')).body).toMatchObject({ source: 'file' });
  expect((await api.delete('/api/scripts/both')).status).toBe(409);
  await write({});
  await waitFor(async () => (await client.text('both')) === 'saved');
  expect((await api.delete('/api/scripts/both')).status).toBe(204);
  await waitFor(async () => !(await client.client.listTools()).tools.some(({ name }) => name === 'both'));
  expect((await api.get('/api/scripts')).body.scripts.map(({ name }: { name: string }) => name)).toEqual(['greet']);
});

test('every route of scripts was called and answered according to its schema', () => {
  expect(unasked(({ group }) => group === 'scripts')).toEqual([]);
});
