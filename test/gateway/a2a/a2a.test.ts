import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Message, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent, connectLegacyAgent, data, outcomeOf, textOf, toCall, toSend, words } from '../../support/a2a.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture, tempDir } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

const directory = await tempDir();
const config = {
  servers: { files: fixture('legacy'), slow: fixture('cancellable') },
  profiles: {
    narrow: { servers: ['files'], allow: ['files/echo'] },
    careful: { servers: ['files'], approval: { mode: 'always-ask', expires: '60s' } },
  },
} as const;
let api: TestApi;
let locked: TestApi;

beforeAll(async () => {
  api = await startApi(config);
  locked = await startApi({ ...config, gateway: { requireAuthentication: true } });
});
afterAll(async () => {
  await Promise.all([api.close(), locked.close()]);
  await directory[Symbol.asyncDispose]();
});

/** A call that runs until it is cancelled. */
const linger = (given: object = {}, file = randomUUID()) =>
  toCall('slow__linger', { path: directory.file(file) }, { returnImmediately: true, ...given });

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

const casesOf = (events: readonly StreamResponse[]) => events.map(({ payload }) => payload?.$case);

async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('the agent card', () => {
  test('the agent card lists the tools as skills with their parameters [B11]', async () => {
    const { status, body, headers } = await api.get('/.well-known/agent-card.json', {
      headers: { 'a2a-version': '1.0' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Toolwharf',
      supportedInterfaces: [
        { url: `${api.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${api.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: true, extendedAgentCard: true },
    });
    expect(body.securityRequirements).toBeUndefined();
    const skill = body.skills.find(({ id }: { id: string }) => id === 'files__echo');
    expect(skill).toMatchObject({ name: 'files__echo', tags: ['tool', 'files'] });
    expect(skill.description).toContain('Returns the text it was given');
    expect(skill.description).toContain('"properties":{"text"');
    const etag = String(headers.get('etag'));
    const again = { 'a2a-version': '1.0', 'if-none-match': etag };
    expect((await api.get('/.well-known/agent-card.json', { headers: again })).status).toBe(304);
  });

  test('the agent card can be read by clients of A2A 0.3', async () => {
    const { body } = await api.get('/.well-known/agent-card.json');
    expect(body).toMatchObject({ protocolVersion: '0.3', url: `${api.url}/a2a`, preferredTransport: 'JSONRPC' });
    expect(body.supportedInterfaces).toHaveLength(2);
    expect(body.skills.length).toBeGreaterThan(5);
  });

  test('the agent card of a profile lists the skills of that profile', async () => {
    const client = await connectAgent(`${api.url}/a2a/narrow/`);
    expect((await client.getAgentCard()).skills.map(({ id }) => id)).toEqual(['files__echo']);
    const { state } = outcomeOf(await client.sendMessage(toCall('files__add', { a: 1, b: 2 })));
    expect(state).toBe(TaskState.TASK_STATE_REJECTED);
    expect((await api.get('/a2a/none/.well-known/agent-card.json')).status).toBe(404);
  });

  test('the agent card of a gateway that requires authentication shows how to authenticate, but no tools, without a key', async () => {
    for (const path of ['/.well-known/agent-card.json', '/a2a/narrow/.well-known/agent-card.json']) {
      for (const version of ['1.0', '0.3']) {
        const { status, body } = await locked.get(path, { headers: { 'a2a-version': version } });
        expect(status).toBe(200);
        expect(body.skills ?? []).toEqual([]);
        expect(JSON.stringify(body)).not.toMatch(/files|narrow__|echo/);
        expect(JSON.stringify(body.securitySchemes)).toMatch(/bearer/i);
        expect(body.securityRequirements ?? body.security).toHaveLength(1);
      }
    }
  });

  test('the agent card and the extended card list the skills with a key', async () => {
    const client = await connectAgent(locked.url, await locked.key(['call'], 'narrow'));
    expect((await client.getAgentCard()).skills.map(({ id }) => id)).toEqual(['files__echo']);
    const key = await locked.key(['call'], 'narrow');
    const { body } = await locked.get('/.well-known/agent-card.json', { key, headers: { 'a2a-version': '1.0' } });
    expect(body.skills).toHaveLength(1);
    const reader = await locked.key(['read']);
    expect((await locked.get('/.well-known/agent-card.json', { key: reader })).body.skills).toEqual([]);
  });
});

describe('an A2A message', () => {
  test('an A2A message that names a tool is a call, and its result is the artifact of the task [B11]', async () => {
    const client = await connectAgent(api.url);
    const answer = (await client.sendMessage(toCall('files__add', { a: 2, b: 3 }))) as Task;
    expect(outcomeOf(answer)).toMatchObject({
      state: TaskState.TASK_STATE_COMPLETED,
      parts: [{ $case: 'text', value: '5', mediaType: 'text/plain' }],
    });
    expect(answer.history).toHaveLength(1);
    const call = await api.get(`/api/calls/${answer.id}`);
    expect(call.body).toMatchObject({ tool: 'mcp_files_add', status: 'success', caller: { id: 'local' } });
    expect(answer.metadata).toEqual({ 'toolwharf/call': answer.id });
    expect(await client.getTask({ tenant: '', id: answer.id })).toEqual(answer);
  });

  test('an A2A message can name the tool in its metadata or as JSON text', async () => {
    const client = await connectAgent(api.url);
    const messages = [
      toSend([data({ a: 1, b: 2 })], { metadata: { skillId: 'files__add' } }),
      toSend([words('{"skill": "files__add", "arguments": {"a": 1, "b": 2}}')]),
    ];
    for (const message of messages)
      expect(outcomeOf(await client.sendMessage(message)).parts).toMatchObject([{ value: '3' }]);
  });

  test('an A2A message with a structured result or an image returns data parts or file parts', async () => {
    const client = await connectAgent(api.url);
    const structured = outcomeOf(await client.sendMessage(toCall('files__structured', { city: 'Bonn' })));
    expect(structured.parts).toContainEqual(expect.objectContaining({ $case: 'data', mediaType: 'application/json' }));
    const { parts } = outcomeOf(await client.sendMessage(toCall('files__image', {})));
    expect(parts).toEqual([{ $case: 'raw', value: expect.any(Buffer), mediaType: 'image/png' }]);
  });

  test('an A2A message without a tool is answered with instructions', async () => {
    const client = await connectAgent(api.url);
    const answer = (await client.sendMessage(toSend([words('What is two plus three?')]))) as Message;
    expect(textOf(answer)).toContain('send a message with one data part');
    expect(textOf(answer)).toContain('- files__add: Adds two numbers');
    const described = (await client.sendMessage(toSend([words('files__add')]))) as Message;
    expect(described.parts[1]?.content).toMatchObject({ value: { inputSchema: { required: ['a', 'b'] } } });
    const misspelt = await client.sendMessage(toSend([data({ tool: 'files__add', args: {} })]));
    expect(textOf(misspelt as Message)).toContain("'args' is neither 'tool' nor 'arguments'");
  });

  test('an A2A message with an unknown tool or invalid arguments is rejected', async () => {
    const client = await connectAgent(api.url);
    expect(outcomeOf(await client.sendMessage(toCall('files__none', {})))).toMatchObject({
      state: TaskState.TASK_STATE_REJECTED,
      words: "There is no skill 'files__none'",
      code: 'TOOL_NAME_INVALID',
    });
    expect(outcomeOf(await client.sendMessage(toCall('files__add', { a: 'two' })))).toMatchObject({
      state: TaskState.TASK_STATE_REJECTED,
      words: expect.stringContaining('Invalid arguments for files__add'),
      code: 'ARGUMENTS_INVALID',
    });
  });

  test('an A2A message can name a tool as mcp_{server}_{tool}, and messages repeat that name [N5]', async () => {
    const client = await connectAgent(api.url);
    expect(outcomeOf(await client.sendMessage(toCall('mcp_files_add', { a: 1, b: 2 })))).toMatchObject({
      state: TaskState.TASK_STATE_COMPLETED,
    });
    expect(outcomeOf(await client.sendMessage(toCall('mcp_files_add', { a: 'two' })))).toMatchObject({
      words: expect.stringContaining('Invalid arguments for mcp_files_add'),
    });
  });

  test('an A2A message to a tool that fails results in a failed task with the message of the tool', async () => {
    const client = await connectAgent(api.url);
    expect(outcomeOf(await client.sendMessage(toCall('files__fail', {})))).toMatchObject({
      state: TaskState.TASK_STATE_FAILED,
      parts: [{ value: 'this tool always fails' }],
    });
  });

  test('an A2A message that is sent twice is one call, and other content with the same id is a conflict', async () => {
    const client = await connectAgent(api.url);
    const file = directory.file(randomUUID());
    const twice = toCall('files__write', { path: file, text: 'once' }, { messageId: randomUUID() });
    const answers = await Promise.all([client.sendMessage(twice), client.sendMessage(twice)]);
    expect(await client.sendMessage(twice)).toEqual(answers[0]);
    expect(answers[1]).toEqual(answers[0]);
    expect(await readFile(file, 'utf8')).toBe('once\n');
    const other = toCall(
      'files__write',
      { path: file, text: 'twice' },
      { messageId: String(twice.message?.messageId) },
    );
    expect(outcomeOf(await client.sendMessage(other))).toMatchObject({
      state: TaskState.TASK_STATE_REJECTED,
      code: 'IDEMPOTENCY_CONFLICT',
    });
    expect(await readFile(file, 'utf8')).toBe('once\n');
  });

  test('an A2A message whose call was not sent can be sent again, and is then one call [O10]', async () => {
    const agent = await connectAgent(api.url);
    const file = directory.file(randomUUID());
    const twice = toCall('files__write', { path: file, text: 'once' }, { messageId: randomUUID() });
    await api.post('/api/servers/files/disconnect');
    const failed = (await agent.sendMessage(twice)) as Task;
    expect(failed.status?.state).not.toBe(TaskState.TASK_STATE_COMPLETED);
    await api.post('/api/servers/files/connect');
    const made = (await agent.sendMessage(twice)) as Task;
    expect(made.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(made.id).not.toBe(failed.id);
    expect(((await agent.sendMessage(twice)) as Task).id).toBe(made.id);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  test('an A2A message can be streamed: task, progress, result and end [B11]', async () => {
    const client = await connectAgent(api.url);
    const events = await collect(client.sendMessageStream(toCall('files__sleep', { ms: 400 })));
    const cases = casesOf(events);
    expect(cases[0]).toBe('task');
    expect(cases.slice(-2)).toEqual(['artifactUpdate', 'statusUpdate']);
    const updates = events.flatMap(({ payload }) => (payload?.$case === 'statusUpdate' ? [payload.value.status] : []));
    expect(textOf(updates[0]?.message)).toMatch(/of 400$/);
    expect(updates.at(-1)?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('an A2A message of a client of A2A 0.3 can call tools, streamed or not', async () => {
    const client = await connectLegacyAgent(api.url);
    expect(client.protocolVersion).toBe('0.3');
    expect(outcomeOf(await client.sendMessage(toCall('files__add', { a: 2, b: 3 }))).parts).toMatchObject([
      { value: '5' },
    ]);
    const events = await collect(client.sendMessageStream(toCall('files__echo', { text: 'x' })));
    expect(casesOf(events)).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    await expect(client.getTask({ tenant: '', id: randomUUID() })).rejects.toThrow('There is no task');
    await expect(collect(client.resubscribeTask({ tenant: '', id: randomUUID() }))).rejects.toThrow('There is no task');
  });
});

describe('an A2A task', () => {
  test('an A2A task cancels its call when it is cancelled [B11]', async () => {
    const client = await connectAgent(api.url);
    const file = randomUUID();
    const { id, status } = (await client.sendMessage(linger({}, file))) as Task;
    expect(status?.state).toBe(TaskState.TASK_STATE_WORKING);
    await waitFor(async () => (await api.get(`/api/calls/${id}`)).body.status === 'running', { what: 'the call' });
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(outcomeOf(cancelled)).toMatchObject({ state: TaskState.TASK_STATE_CANCELED, code: 'CALL_CANCELLED' });
    expect((await api.get(`/api/calls/${id}`)).body).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    await waitFor(async () => (await readFile(directory.file(file), 'utf8').catch(() => '')) === 'cancelled\n');
    const done = (await client.sendMessage(toCall('files__echo', { text: 'x' }))) as Task;
    await expect(client.cancelTask({ tenant: '', id: done.id, metadata: undefined })).rejects.toThrow('is over');
  });

  test('an A2A task continues when its client disconnects, and can be resubscribed', async () => {
    const client = await connectAgent(api.url);
    const leaving = new AbortController();
    let id = '';
    const streaming = (async () => {
      for await (const { payload } of client.sendMessageStream(linger(), { signal: leaving.signal }))
        if (payload?.$case === 'task') {
          id = payload.value.id;
          leaving.abort();
        }
    })();
    await streaming.catch(() => {});
    const watching = collect(client.resubscribeTask({ tenant: '', id }));
    await waitFor(async () => (await api.get(`/api/calls/${id}`)).body.status === 'running', { what: 'the call' });
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    const events = await watching;
    expect(casesOf(events)[0]).toBe('task');
    expect(events.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
    await expect(collect(client.resubscribeTask({ tenant: '', id }))).rejects.toThrow('is over');
  });

  test('an A2A task that awaits approval reports this state and continues after the approval [B11]', async () => {
    const client = await connectAgent(`${api.url}/a2a/careful/`);
    const waiting = (await client.sendMessage(toCall('files__add', { a: 20, b: 3 }))) as Task;
    expect(outcomeOf(waiting)).toMatchObject({
      state: TaskState.TASK_STATE_AUTH_REQUIRED,
      words: expect.stringContaining('Waiting for approval: the approval mode is always-ask'),
    });
    const watching = collect(client.resubscribeTask({ tenant: '', id: waiting.id }));
    const question = String(waiting.status?.message?.metadata?.['toolwharf/approval']);
    const answer = { answer: 'allow' };
    expect((await api.post(`/api/approvals/${question}/answer`, answer, { key: api.adminToken })).status).toBeLessThan(
      300,
    );
    expect((await watching).at(-1)?.payload).toMatchObject({
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
    expect(outcomeOf(await client.getTask({ tenant: '', id: waiting.id })).parts).toMatchObject([{ value: '23' }]);
  });

  test('an A2A task is rejected with the reason when its call is denied', async () => {
    const client = await connectAgent(`${api.url}/a2a/careful/`);
    const { id, status } = (await client.sendMessage(toCall('files__add', { a: 21, b: 3 }))) as Task;
    const question = String(status?.message?.metadata?.['toolwharf/approval']);
    const answer = { answer: 'deny', reason: 'not today' };
    await api.post(`/api/approvals/${question}/answer`, answer, { key: api.adminToken });
    const ended = await waitFor(async () => {
      const outcome = outcomeOf(await client.getTask({ tenant: '', id }));
      return outcome.state === TaskState.TASK_STATE_REJECTED && outcome;
    });
    expect(ended).toMatchObject({ words: expect.stringContaining('not today'), code: 'CALL_DENIED' });
  });

  test('an A2A task withdraws its approval when it is cancelled', async () => {
    const client = await connectAgent(`${api.url}/a2a/careful/`);
    const { id, status } = (await client.sendMessage(toCall('files__add', { a: 22, b: 3 }))) as Task;
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const question = String(status?.message?.metadata?.['toolwharf/approval']);
    expect((await api.get(`/api/approvals/${question}`)).body).toMatchObject({ answeredBy: 'withdrawal' });
  });

  test('an A2A task contains the question of its server, which the caller can answer', async () => {
    const client = await connectAgent(api.url);
    const events: StreamResponse[] = [];
    const texts: string[] = [];
    for await (const event of client.sendMessageStream(toCall('files__ask', { question: 'Which colour?' }))) {
      events.push(event);
      const status = event.payload?.$case === 'statusUpdate' ? event.payload.value.status : undefined;
      const question = status?.message?.metadata?.['toolwharf/question'];
      if (question === undefined) continue;
      texts.push(textOf(status?.message) ?? '');
      await api.post(`/api/questions/${question}/answer`, { action: 'accept', content: { answer: 'blue' } });
    }
    expect(texts).toEqual([expect.stringContaining("Server 'files' asks a question")]);
    expect(JSON.stringify(events)).toContain('blue');
  });

  test('an A2A task accepts no further messages and has no push notifications', async () => {
    const client = await connectAgent(api.url);
    const { id } = (await client.sendMessage(linger())) as Task;
    await expect(client.sendMessage(toSend([words('more')], { taskId: id }))).rejects.toThrow(
      'accepts no more messages',
    );
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    const none = toSend([words('more')], { taskId: randomUUID() });
    await expect(client.sendMessage(none)).rejects.toThrow('There is no task');
    const push = { taskId: id, url: 'http://127.0.0.1:1/' };
    const refused = await api.post('/a2a', rpc('CreateTaskPushNotificationConfig', push));
    expect(refused.body.error.code).toBe(-32003);
  });

  test('an A2A task is listed with its artifacts only if the request includes them', async () => {
    const client = await connectAgent(api.url);
    const contextId = randomUUID();
    await client.sendMessage(toCall('files__add', { a: 1, b: 2 }, { contextId }));
    const ask = { tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined };
    const countsOf = ({ tasks }: { tasks: Task[] }) => tasks.map(({ artifacts }) => artifacts.length);
    expect(countsOf(await client.listTasks(ask))).toEqual([0]);
    expect(countsOf(await client.listTasks({ ...ask, includeArtifacts: true }))).toEqual([1]);
  });

  test('an A2A task is visible to its caller only', async () => {
    const [own, other] = await Promise.all(
      [1, 2].map(async () => connectAgent(locked.url, await locked.key(['call']))),
    );
    if (!own || !other) throw new Error('Two clients are needed');
    const contextId = randomUUID();
    const { id } = (await own.sendMessage(linger({ contextId }))) as Task;
    const ask = { tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined };
    expect((await own.listTasks(ask)).tasks.map((task) => task.id)).toEqual([id]);
    expect((await other.listTasks(ask)).tasks).toEqual([]);
    await expect(other.getTask({ tenant: '', id })).rejects.toThrow('There is no task');
    await expect(other.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow('There is no task');
    await expect(collect(other.resubscribeTask({ tenant: '', id }))).rejects.toThrow('There is no task');
    await own.cancelTask({ tenant: '', id, metadata: undefined });
  });
});

describe('the A2A endpoint', () => {
  test('the A2A endpoint requires the right to call [B11]', async () => {
    const anonymous = await locked.post('/a2a', rpc('ListTasks'));
    expect({ status: anonymous.status, code: anonymous.body.error.code }).toEqual({
      status: 401,
      code: 'UNAUTHORIZED',
    });
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="toolwharf"');
    const reader = await locked.post('/a2a', rpc('ListTasks'), { key: await locked.key(['read']) });
    expect({ status: reader.status, code: reader.body.error.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
    const narrow = await locked.key(['call'], 'narrow');
    expect((await locked.post('/a2a/careful', rpc('ListTasks'), { key: narrow })).status).toBe(404);
    expect((await locked.post('/a2a/narrow', rpc('ListTasks'), { key: narrow })).status).toBe(200);
  });

  test('the A2A endpoint explains why it cannot read a request', async () => {
    const refusals = [
      await api.request('POST', '/a2a', { body: rpc('ListTasks'), headers: { 'content-type': 'text/plain' } }),
      await api.post('/a2a', [rpc('ListTasks')]),
      await api.post('/a2a', 'x'.repeat(5 * 1024 * 1024)),
      await api.post('/a2a', rpc('SendMessage', { message: JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)) })),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([415, 400, 413, 400]);
    for (const { body } of refusals) expect(body.error.message).toMatch(/^(The|Send|A) .+/);
    expect((await api.get('/a2a')).status).toBe(405);
    expect((await api.post('/.well-known/agent-card.json', {})).status).toBe(405);
    const version = { headers: { 'a2a-version': '7.0' } };
    expect((await api.post('/a2a', rpc('ListTasks'), version)).body.error.message).toContain('version 7.0');
    expect((await api.post('/a2a', rpc('Nonsense'))).body.error.code).toBe(-32601);
    const broken = await api.post('/a2a', rpc('SendMessage', { message: { messageId: '1', parts: [null] } }));
    expect(broken.body).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining('list of parts') },
    });
    const unnamed = await api.post('/a2a', rpc('SendMessage', { message: { parts: [{ text: 'x' }] } }));
    expect(unnamed.body.error.message).toBe('A message needs a messageId');
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
