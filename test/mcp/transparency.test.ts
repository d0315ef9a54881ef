import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { initializeParams, post } from '../support/raw-mcp.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

let gateway: ServedMcp;
beforeAll(async () => {
  gateway = await serveMcp({ subject: fixture('peculiar') });
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe.each(['legacy', 'modern'] as const)('for a %s client', (era) => {
  test('the instructions and the announced extensions of the only server are passed on', async () => {
    await using client = await connectMcp(gateway.url, era);
    expect(client.client.getInstructions()).toBe('A fixture.');
    expect(client.client.getServerCapabilities()).toMatchObject({
      extensions: { 'example.com/widgets': { version: 2 } },
    });
  });

  test('a tool that runs only as a task is offered as one that need not', async () => {
    await using client = await connectMcp(gateway.url, era);
    const { tools } = await client.client.listTools();
    const tool = tools.find(({ name }) => name === 'task_only') as { execution?: { taskSupport?: string } };
    // Only revision 2025-11-25 has this member.
    expect(tool.execution?.taskSupport).toBe(era === 'legacy' ? 'optional' : undefined);
    expect(await client.text('task_only', { text: 'hello' })).toBe('done: hello');
  });

  test('messages use the name that the client used, and mcp_{server}_{tool} works too [N5]', async () => {
    await using client = await connectMcp(gateway.url, era);
    expect(await client.text('add', { a: 'x', b: 2 })).toContain('Invalid arguments for add:');
    expect(await client.text('mcp_subject_add', { a: 'x', b: 2 })).toContain('Invalid arguments for mcp_subject_add:');
    expect(await client.text('mcp_subject_echo', { text: 'by the long name' })).toBe('by the long name');
  });
});

test('servers learn that clients can be asked with forms, URLs and tools for the model', async () => {
  await using served = await serveMcp({ old: fixture('legacy') });
  await using client = await connectMcp(served.url, 'legacy');
  const { capabilities } = JSON.parse(await client.text('mcp_old_client'));
  expect(capabilities).toMatchObject({ elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} });
  // The roots of a server are those of the client of each call, so that no list of them can change.
  expect(capabilities.roots.listChanged).toBeUndefined();
});

test('the instructions of several servers are joined under their names', async () => {
  await using several = await serveMcp({ one: fixture('legacy'), two: fixture('modern') });
  await using client = await connectMcp(several.url, 'legacy');
  expect(client.client.getInstructions()).toContain('Instructions of server one:\nA fixture.');
});

test('a list that the server does not implement is empty, and the server is connected', () => {
  expect(gateway.toolbox.servers.status('subject')?.state).toBe('connected');
  expect(gateway.toolbox.servers.get('subject')?.offers.resourceTemplates).toMatchObject({ stale: false });
});

test('a subscription on a server without subscriptions is rejected at once', async () => {
  await using client = await connectMcp(gateway.url, 'legacy');
  await expect(client.client.subscribeResource({ uri: 'memo://one' })).rejects.toMatchObject({ code: -32601 });
});

test('a change of the tools is passed on as announced, even if the tools are the same', async () => {
  await using client = await connectMcp(gateway.url, 'legacy');
  const announced = () => client.notices.some(({ method }) => method === 'notifications/tools/list_changed');
  await waitFor(
    async () => {
      await client.text('announce');
      return announced();
    },
    { what: 'the announcement' },
  );
});

test('every result names the gateway as the server', async () => {
  await using both = await serveMcp({ old: fixture('legacy'), new: fixture('modern') });
  await using client = await connectMcp(both.url, 'modern');
  for (const name of ['mcp_old_echo', 'mcp_new_echo']) {
    const { _meta } = await client.client.callTool({ name, arguments: { text: 'x' } });
    expect(_meta?.['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'toolwharf' });
  }
});

test('a batch is answered in revision 2025-03-26 and rejected in others', async () => {
  using agent = Object.assign(new Agent(), { [Symbol.dispose]: () => agent.destroy() });
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'one' } } },
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  const send = async (protocolVersion: string, body: unknown) => {
    const opened = await post(gateway.url, agent, {
      id: 0,
      method: 'initialize',
      params: { ...initializeParams, protocolVersion },
    });
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': String(opened.headers['mcp-session-id']),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const { text } = await send('2025-03-26', batch);
  const answers = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  expect(text).toContain('"one"');
  expect((await send('2025-03-26', [])).status).toBe(400);
  expect((await send('2025-11-25', batch)).status).toBe(400);
});

describe('argument validation', () => {
  test.each([
    ['strict', 'Invalid arguments for add'],
    ['coerce', '3'],
    ['off', '12'],
  ] as const)('%s', async (validation, expected) => {
    await using served = await serveMcp({ subject: { ...fixture('legacy'), validation } });
    await using client = await connectMcp(served.url, 'legacy');
    expect(await client.text('add', { a: '1', b: '2' })).toContain(expected);
  });
});

test('a subscription to several resources replaces the subscription at their server once', async () => {
  await using directory = await tempDir();
  const RECORD_FILE = directory.file('messages');
  const program = fixture('late', { SERVER: 'modern', START_MS: '0', RECORD_FILE });
  await using modern = await serveMcp({ subject: program });
  await using client = await connectMcp(modern.url, 'modern');
  const listens = async () => (await readFile(RECORD_FILE, 'utf8')).match(/subscriptions\/listen/g)?.length ?? 0;
  await waitFor(async () => (await listens()) === 1, { what: 'the subscription to list changes' });
  const uris = ['a', 'b', 'c', 'd', 'e'].map((name) => `memo://${name}`);
  await client.client.listen({ resourceSubscriptions: uris });
  expect(await listens()).toBe(2);
  const updated = () => client.notices.filter(({ method }) => method === 'notifications/resources/updated');
  for (const uri of uris) await client.text('touch', { uri });
  await waitFor(() => updated().length === uris.length, { what: 'an update of each resource' });
});

test('tools that a dual-era server adds for clients of one era are listed and called by clients of both', async () => {
  await using dual = await serveMcp({ subject: fixture('growing') });
  // A legacy client that can be asked gets a separate process beside that of modern clients.
  await using legacy = await connectMcp(dual.url, 'legacy', { answers: usualAnswers });
  await using modern = await connectMcp(dual.url, 'modern');
  const pids = [
    await legacy.text('grow', { name: 'added_legacy' }),
    await modern.text('grow', { name: 'added_modern' }),
  ];
  expect(pids[0]).not.toBe(pids[1]);
  for (const client of [legacy, modern]) {
    const names = async () => (await client.client.listTools()).tools.map(({ name }) => name);
    await waitFor(async () => (await names()).length === 3, { what: 'both tools' });
    expect(await names()).toEqual(expect.arrayContaining(['added_legacy', 'added_modern']));
    expect([await client.text('added_legacy'), await client.text('added_modern')]).toEqual(pids);
  }
});
