import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let assistant: ScriptedAssistant;

beforeAll(async () => {
  api = await startApi({ servers: { files: fixture('legacy'), modern: fixture('modern'), steps: fixture('steps') } });
  assistant = await addScriptedAssistant(api, [], { toolApproval: 'auto', serverIds: ['files', 'modern'] });
});
afterAll(async () => {
  await api.close();
  await assistant[Symbol.asyncDispose]();
});

interface Question {
  readonly id: string;
  readonly [member: string]: unknown;
}

const questions = async (key?: string) =>
  (await api.get('/api/questions', key === undefined ? {} : { key })).body.questions as Question[];

const question = async () => (await waitFor(async () => (await questions())[0], { what: 'the question' })) as Question;

const answer = (id: string, body: object, key?: string) =>
  api.post(`/api/questions/${id}/answer`, body, key === undefined ? {} : { key });

const call = (tool: string, args: object, key?: string, callId = randomUUID()) =>
  api.post(`/api/tools/${tool}/call`, { arguments: args, callId }, key === undefined ? {} : { key });

describe.each(['files', 'modern'])('a form of a server (%s)', (server) => {
  test('a form of a server waits for the caller, and the answer is returned to the server', async () => {
    await using source = await listenTo(api.url);
    await source.find('ready');
    const callId = randomUUID();
    const result = call(`mcp_${server}_ask`, { question: 'Which colour?' }, undefined, callId);
    const pending = await question();
    expect(pending).toMatchObject({
      kind: 'elicitation',
      server,
      callId,
      tool: `mcp_${server}_ask`,
      params: { message: 'Which colour?', requestedSchema: { required: ['answer'] } },
    });
    expect((await source.find('question.asked')).data).toMatchObject({ id: pending.id, params: pending.params });
    const empty = await answer(pending.id, { action: 'accept', content: {} });
    expect(empty).toMatchObject({
      status: 400,
      body: { error: { code: 'REQUEST_INVALID', data: { problems: [{ path: 'body.content.answer' }] } } },
    });
    expect((await answer(pending.id, { action: 'accept', content: { answer: 7 } })).status).toBe(400);
    expect((await answer(pending.id, { action: 'accept', content: { answer: 'blue' } })).status).toBe(204);
    expect((await result).body.text).toContain('"answer":"blue"');
    expect((await source.find('question.answered')).data).toEqual({ id: pending.id, callId, action: 'accept' });
    expect((await answer(pending.id, { action: 'decline' })).status).toBe(404);
    expect(await questions()).toEqual([]);
  });

  test.each(['decline', 'cancel'])('a form of a server can be declined or cancelled: %s', async (action) => {
    const result = call(`mcp_${server}_ask`, { question: 'Really?' });
    await answer((await question()).id, { action });
    expect((await result).body.text).toContain(`"action":"${action}"`);
  });

  test('a form of a server is withdrawn when its call is cancelled', async () => {
    await using source = await listenTo(api.url);
    await source.find('ready');
    const callId = randomUUID();
    const result = call(`mcp_${server}_ask`, { question: 'Still there?' }, undefined, callId);
    const { id } = await question();
    await api.post(`/api/calls/${callId}/cancel`);
    expect((await result).body.error.code).toBe('CALL_CANCELLED');
    expect((await source.find('question.answered')).data).toMatchObject({ id, action: 'withdrawn' });
    expect(await questions()).toEqual([]);
  });
});

test('a question is shown to the caller and to administrators', async () => {
  const [own, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
  await using foreign = await listenTo(api.url, { key: other });
  await foreign.find('ready');
  const result = call('mcp_modern_ask', { question: 'Whose?' }, own);
  const { id } = await question();
  expect(await questions(other)).toEqual([]);
  expect((await answer(id, { action: 'decline' }, other)).status).toBe(404);
  expect(await questions(own)).toMatchObject([{ id }]);
  expect((await answer(id, { action: 'accept', content: { answer: 'mine' } }, own)).status).toBe(204);
  expect((await result).body.text).toContain('mine');
  expect(foreign.events.map(({ name }) => name)).toEqual(['ready']);
});

test('a question in a call of an MCP client goes to that client', async () => {
  await using client = await connectClient(`${api.url}/mcp`, {
    elicit: () => ({ action: 'accept', content: { answer: 'by the client' } }),
  });
  expect(await client.text('files__ask', { question: 'Who?' })).toContain('by the client');
  expect(await client.text('modern__ask', { question: 'Who?' })).toContain('by the client');
});

test('a question in a conversation goes to its owner', async () => {
  const own = await api.key(['read', 'call']);
  const { id: conversation, path } = await assistant.begin({ key: own });
  assistant.model.push({ calls: [{ name: 'mcp_files_ask', args: { question: 'Which?' } }] }, { text: 'Thanks.' });
  await api.post(`${path}/messages`, { text: 'Ask me' }, { key: own });
  await waitFor(async () => (await questions(own)).length === 1);
  const [pending] = await questions(own);
  expect(pending).toMatchObject({ conversation, tool: 'mcp_files_ask' });
  await answer(pending?.id ?? '', { action: 'accept', content: { answer: 'this one' } }, own);
  await answerIn(api, path, { key: own });
  expect(JSON.stringify((await api.get(path)).body.messages)).toContain('this one');
});

describe('a sampling request of a server', () => {
  test.each(['files', 'modern'])(
    'a sampling request of a server is answered by the model of the assistant after a person allows it (%s)',
    async (server) => {
      const { path } = await assistant.begin();
      assistant.model.push(
        { calls: [{ name: `mcp_${server}_sample`, args: { prompt: 'A word for the sea?' } }] },
        { text: 'ocean' },
        { text: 'It said ocean.' },
      );
      await api.post(`${path}/messages`, { text: 'Try' });
      const pending = await question();
      expect(pending).toMatchObject({
        kind: 'sampling',
        params: { maxTokens: 100, messages: [{ content: { text: 'A word for the sea?' } }] },
      });
      const before = assistant.model.requests.length;
      await answer(pending.id, { action: 'accept' });
      const { parts } = await answerIn(api, path);
      expect(JSON.stringify(parts)).toContain('ocean');
      expect(assistant.model.requests[before]?.last).toContain('A word for the sea?');
    },
  );

  test('a sampling request of a server is rejected when the person declines it', async () => {
    const { path } = await assistant.begin();
    assistant.model.push({ calls: [{ name: 'mcp_files_sample', args: { prompt: 'x' } }] }, { text: 'Well then.' });
    await api.post(`${path}/messages`, { text: 'Try' });
    const { id } = await question();
    const before = assistant.model.requests.length;
    await answer(id, { action: 'decline' });
    const { parts } = await answerIn(api, path);
    expect(JSON.stringify(parts)).toContain('did not allow');
    // The conversation must be able to continue.
    expect(assistant.model.requests.length - before).toBe(1);
  });

  test.each(['files', 'modern'])(
    'a sampling request of a server outside a conversation is answered by a person (%s)',
    async (server) => {
      const result = call(`mcp_${server}_sample`, { prompt: 'A word for the sea?' });
      const pending = await question();
      expect(pending).toMatchObject({ kind: 'sampling', repliedBy: 'person' });
      const empty = await answer(pending.id, { action: 'accept', content: { text: '' } });
      expect(empty).toMatchObject({ status: 400, body: { error: { code: 'REQUEST_INVALID' } } });
      expect((await answer(pending.id, { action: 'accept' })).status).toBe(400);
      await answer(pending.id, { action: 'accept', content: { text: 'ocean' } });
      expect((await result).body.text).toContain('ocean');
    },
  );

  test('a sampling request of a server outside a conversation can be declined', async () => {
    const result = call('mcp_files_sample', { prompt: 'x' });
    await answer((await question()).id, { action: 'decline' });
    expect(JSON.stringify((await result).body)).toContain('did not allow');
  });
});

test('callers are told that a question was refused because it could belong to several calls', async () => {
  for (let run = 0; run < 3; run++) {
    await call('mcp_steps_sleep', { ms: 1 });
    await call('mcp_steps_sometimes', { ask: false });
  }
  await using source = await listenTo(api.url);
  await source.find('ready');
  const [slow, asking] = [randomUUID(), randomUUID()];
  const calls = [call('mcp_steps_sleep', { ms: 600_000 }, undefined, slow)];
  await source.find('call.progressed', ({ id }) => id === slow);
  calls.push(call('mcp_steps_sometimes', { ask: true }, undefined, asking));
  const told = await source.find('call.progressed', ({ id, message }) => id === asking && message !== undefined);
  expect(told.data.message).toBe(
    "Server 'steps' asked a question (sampling/createMessage) while several calls were running. The protocol does not say for which one, so it was refused. Call the tool again: from now on, it runs alone on this server",
  );
  expect((await api.get(`/api/calls/${asking}`)).body.progress).toEqual({
    progress: 0.000001,
    message: told.data.message,
  });
  expect(await questions()).toEqual([]);
  for (const id of [slow, asking]) await api.post(`/api/calls/${id}/cancel`);
  await Promise.all(calls);
});

test('every route of questions was called', () => {
  expect(unasked(({ group }) => group === 'questions')).toEqual([]);
});
