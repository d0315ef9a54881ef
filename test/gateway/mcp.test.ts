import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp, type McpClient, usualAnswers } from '../support/mcp-client.ts';
import { openRaw } from '../support/raw-mcp.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

const cells = (['legacy', 'modern'] as const).flatMap((client) =>
  (['legacy', 'modern'] as const).map((server) => ({ client, server })),
);

test('a log message that may belong to several calls reaches the client that made them all, and nobody if there are several clients', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  await using client = await connectMcp(gateway.url, 'legacy');
  await using other = await connectMcp(gateway.url, 'legacy');
  const end = new AbortController();
  const sleep = async ({ client }: McpClient, running: number) => {
    const ended = client
      .callTool({ name: 'sleep', arguments: { ms: 600_000 } }, { signal: end.signal })
      .catch(() => {});
    await waitFor(() => gateway.toolbox.calls.stats().running === running, { what: 'the running call' });
    return { ended };
  };
  const first = await sleep(client, 1);
  await client.text('log', { level: 'error', text: 'of one client' });
  await waitFor(() => client.logs().includes('of one client'), { what: 'the log message' });
  const second = await sleep(other, 2);
  await client.text('log', { level: 'error', text: 'of two clients' });
  end.abort();
  await Promise.all([first.ended, second.ended]);
  expect([client.logs(), other.logs()]).toEqual([['of one client'], []]);
});

describe.each(cells)('a $client client of a $server server', ({ client: era, server }) => {
  let gateway: ServedMcp;
  let client: McpClient;
  beforeAll(async () => {
    gateway = await serveMcp({ subject: fixture(server) });
    client = await connectMcp(gateway.url, era, { answers: usualAnswers });
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  test('the client lists and calls its tools, and results are unchanged', async () => {
    expect(gateway.toolbox.servers.get('subject')?.status.era).toBe(server);
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(await client.text('echo', { text: 'hello' })).toBe('hello');
    expect(await client.client.callTool({ name: 'structured', arguments: { city: 'Bern' } })).toMatchObject({
      structuredContent: { city: 'Bern', degrees: 21.5 },
    });
    expect(await client.client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true });
    await expect(client.client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('the client reads resources and prompts and completes arguments', async () => {
    const { resources } = await client.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['memo://one', 'memo://two']);
    const { resourceTemplates } = await client.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['memo://{name}']);
    const { contents } = await client.client.readResource({ uri: 'memo://three' });
    expect(contents).toMatchObject([{ text: 'memo three' }]);
    const unknown = { uri: 'other://x' };
    await expect(client.client.readResource(unknown)).rejects.toMatchObject({ data: unknown });
    expect((await client.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greet', 'plain']);
    const prompt = await client.client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
    expect(JSON.stringify(prompt.messages)).toContain('Greet Ada');
    const ref = { type: 'ref/prompt', name: 'greet' } as const;
    const { completion } = await client.client.complete({ ref, argument: { name: 'tone', value: 'f' } });
    expect(completion.values).toEqual(['formal', 'friendly', 'funny']);
  });

  test('the client receives progress', async () => {
    const received: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void received.push(progress);
    await client.client.callTool({ name: 'sleep', arguments: { ms: 150 } }, { onprogress });
    expect(received.length).toBeGreaterThan(1);
    expect(received).toEqual(received.toSorted((one, other) => one - other));
  });

  test('the client answers elicitation, sampling and roots requests', async () => {
    expect(JSON.parse(await client.text('ask', { question: 'Colour?' }))).toMatchObject({
      action: 'accept',
      content: { answer: 're: Colour?' },
    });
    expect(await client.text('sample', { prompt: 'Hi' })).toContain('sampled');
    expect(JSON.parse(await client.text('roots'))).toMatchObject({ roots: [{ uri: 'file:///test' }] });
  });

  test('the client gets an error when it cannot answer the question of the server', async () => {
    await using mute = await connectMcp(gateway.url, era);
    const outcome = await mute.client.callTool({ name: 'ask', arguments: { question: 'Anyone?' } }).then(
      (result) => result.isError,
      (cause) => cause instanceof Error,
    );
    expect(outcome).toBe(true);
  });

  test('the client receives only log messages of its level and above', async () => {
    if (era === 'legacy') await client.client.setLoggingLevel('info');
    await client.text('log', { level: 'debug', text: 'too much' });
    await client.text('log', { level: 'error', text: 'enough' });
    await expect.poll(() => client.logs()).toContain('enough');
    expect(client.logs()).not.toContain('too much');
    if (era === 'legacy') await client.client.setLoggingLevel('critical');
    else return;
    await client.text('log', { level: 'error', text: 'no longer' });
    await client.text('log', { level: 'emergency', text: 'still' });
    await expect.poll(() => client.logs()).toContain('still');
    expect(client.logs()).not.toContain('no longer');
  });

  test('the client receives updates of subscribed resources until it unsubscribes [R23]', async () => {
    const [watched, ended] = ['memo://two', 'memo://one'];
    const touch = (uri: string) => client.text('touch', { uri });
    const updatesOf = (uri: string) =>
      client.notices.filter(({ method, params }) => method === 'notifications/resources/updated' && params.uri === uri);
    const untilUpdated = (uri: string) => {
      const before = updatesOf(uri).length;
      // The stream of a client may open a moment after it connected; the client misses earlier updates.
      return waitFor(async () => (await touch(uri)) && updatesOf(uri).length > before, { what: `an update of ${uri}` });
    };
    const subscription =
      era === 'modern' ? await client.client.listen({ resourceSubscriptions: [watched, ended] }) : undefined;
    if (era === 'legacy') for (const uri of [watched, ended]) await client.client.subscribeResource({ uri });
    await touch('memo://three');
    await untilUpdated(ended);
    // Updates arrive in order: after this one, no update of the other resource is pending.
    await untilUpdated(watched);
    expect(updatesOf('memo://three')).toEqual([]);

    await subscription?.close();
    if (era === 'modern') await client.client.listen({ resourceSubscriptions: [watched] });
    else await client.client.unsubscribeResource({ uri: ended });
    const before = updatesOf(ended).length;
    await touch(ended);
    await untilUpdated(watched);
    expect(updatesOf(ended)).toHaveLength(before);
  });

  test('the client is notified of changed tools and sees the new ones', async () => {
    await using changing = await serveMcp({ subject: fixture(server === 'legacy' ? 'changing' : 'modern') });
    await using curious = await connectMcp(changing.url, era);
    if (era === 'modern') await curious.client.listen({ toolsListChanged: true });
    const received = () => curious.notices.filter(({ method }) => method === 'notifications/tools/list_changed');
    // The stream of a client may open a moment after it connected; the client misses earlier changes.
    await waitFor(async () => (await curious.text(server === 'legacy' ? 'mutate' : 'change')) && received().length > 0);
    const { tools } = await curious.client.listTools();
    expect(tools.filter(({ name }) => name.startsWith('added_'))).not.toEqual([]);
  });

  test('the client cancels a call at the server', async () => {
    await using directory = await tempDir();
    const path = directory.file('cancelled');
    await using waiting = await serveMcp({ subject: fixture('cancellable', { ERA: server }) });
    await using impatient = await connectMcp(waiting.url, era);
    const cancel = new AbortController();
    const begun = Promise.withResolvers<void>();
    const call = impatient.client.callTool(
      { name: 'linger', arguments: { path } },
      { signal: cancel.signal, onprogress: () => begun.resolve() },
    );
    await begun.promise;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toBe('cancelled\n');
    await expect.poll(() => waiting.toolbox.calls.list()).toMatchObject([{ end: 'cancelled' }]);
  });
});

test.each(cells)('a $client client gets unknown content of a $server server unchanged', async (cell) => {
  await using gateway = await serveMcp({ subject: fixture(cell.server) });
  using raw = await openRaw(gateway.url, cell.client);
  const { body } = await raw.send(1, 'tools/call', { name: 'unknown_content', arguments: {} });
  expect(body.result).toMatchObject({
    content: [
      { type: 'text', annotations: { audience: ['user'], priority: 0.5 }, _meta: { 'example/a': 1 } },
      { type: 'hologram', shape: { sides: 12 }, glow: true, _meta: { 'example/b': [1, 2] } },
    ],
    futureField: { kept: true },
    _meta: { 'example/result': 'yes' },
  });
  const { body: refused } = await raw.send(2, 'resources/read', { uri: 'other://x' });
  const code = cell.client === 'modern' ? -32602 : -32002;
  expect(refused).toMatchObject({ id: 2, error: { code, data: { uri: 'other://x' } } });
});

test.each(cells)(
  'a lost connection of a $client client to a $server server cancels its call according to its era',
  async (cell) => {
    await using directory = await tempDir();
    const path = directory.file('cancelled');
    await using gateway = await serveMcp({ subject: fixture('cancellable', { ERA: cell.server }) });
    using raw = await openRaw(gateway.url, cell.client);
    const lost = new AbortController();
    const call = raw.send(7, 'tools/call', { name: 'linger', arguments: { path } }, lost.signal);
    await expect.poll(() => gateway.toolbox.calls.list()).toMatchObject([{ status: 'running' }]);
    lost.abort();
    await expect(call).rejects.toThrow();
    if (cell.client === 'legacy') {
      await raw.send(8, 'ping', {});
      expect(await gateway.toolbox.calls.list()).toMatchObject([{ status: 'running' }]);
      await raw.notify('notifications/cancelled', { requestId: 7 });
    }
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toBe('cancelled\n');
  },
);

test.each(cells)(
  'a $client client approves its call on a $server server once, regardless of the number of questions',
  async (cell) => {
    await using gateway = await serveMcp({ subject: fixture(cell.server) }, { approval: 'always-ask' });
    const messages: string[] = [];
    const elicit = ({ message }: JsonObject) => {
      messages.push(String(message));
      const isApproval = String(message).startsWith('Allow ');
      return { action: 'accept', content: { answer: isApproval ? 'once' : 'yes' } };
    };
    await using client = await connectMcp(gateway.url, cell.client, { answers: { 'elicitation/create': elicit } });
    const rounds = cell.server === 'modern' ? 2 : 1;
    await client.text('ask', { question: 'Sure?', ...(rounds > 1 && { rounds }) });
    expect(messages).toEqual([expect.stringMatching(/^Allow ask of server subject/), ...Array(rounds).fill('Sure?')]);
  },
);

test('a call with an idempotency key includes its question and its answer', async () => {
  await using gateway = await serveMcp({ subject: fixture('modern') });
  await using client = await connectMcp(gateway.url, 'modern', { answers: usualAnswers });
  const call = { name: 'ask', arguments: { question: 'Twice?' }, _meta: { 'toolwharf/idempotencyKey': 'one' } };
  const first = await client.client.callTool(call);
  expect(JSON.stringify(first.content)).toContain('re: Twice?');
  expect((await client.client.callTool(call)).content).toEqual(first.content);
  expect(await gateway.toolbox.calls.list()).toHaveLength(1);
});

test.each(['legacy', 'modern'] as const)('a %s client answers several rounds of questions', async (era) => {
  await using gateway = await serveMcp({ subject: fixture('modern') });
  await using client = await connectMcp(gateway.url, era, { answers: usualAnswers });
  const rounds = JSON.parse(await client.text('ask', { question: 'Again?', rounds: 3 }));
  expect(rounds).toMatchObject([{ action: 'accept' }, { action: 'accept' }, { action: 'accept' }]);
});
