import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatEventSchemas } from '../../packages/contract/api/chat.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { createGate } from '../fixtures/models/scripted-chat-server.ts';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { listenTo, type SentEvent } from '../support/event-source.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let assistant: ScriptedAssistant;

beforeAll(async () => {
  api = await startApi({
    servers: { files: fixture('legacy'), slow: fixture('cancellable') },
    toolbox: { approval: { expires: '60s' } },
    profiles: {
      narrow: { servers: ['files'], allow: ['files/*'], deny: ['files/write'] },
      watched: { approval: { ask: ['files/add'] } },
      trusting: { approval: { ask: ['files/add'], approvers: 'owner' } },
    },
  });
  assistant = await addScriptedAssistant(api, [], { serverIds: ['files', 'slow'] });
});
afterAll(async () => {
  await api.close();
  await assistant[Symbol.asyncDispose]();
});

const watch = (path: string, key?: string) =>
  listenTo(api.url, { path: `${path}/events`, schemas: chatEventSchemas, ...(key !== undefined && { key }) });

const textOf = ({ parts }: { parts: { type: string; text?: string }[] }) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The pending approval of a conversation. */
async function questionOf(conversation: string, key?: string) {
  const found = await waitFor(
    async () => {
      const { approvals } = (await api.get('/api/approvals?status=pending', key === undefined ? {} : { key })).body;
      return approvals.find(
        ({ caller }: { caller: object }) => (caller as { conversation?: string }).conversation === conversation,
      );
    },
    { what: 'the question' },
  );
  return found as { id: string; mayAnswer: boolean };
}

describe('a conversation', () => {
  test('a conversation is created, continued, read, renamed and removed over REST [R14]', async () => {
    assistant.model.push({ text: 'Good morning to you.' });
    const { id, path } = await assistant.begin();
    const begun = await api.post(`${path}/messages`, { text: 'Say good morning' });
    expect(begun.body).toMatchObject({ role: 'assistant', status: 'streaming' });
    const answer = await answerIn(api, path);
    expect({ id: answer.id, text: textOf(answer), status: answer.status }).toEqual({
      id: begun.body.id,
      text: 'Good morning to you.',
      status: 'complete',
    });
    const { conversation, messages } = (await api.get(path)).body;
    expect(conversation).toMatchObject({ id, title: 'Say good morning', owner: 'local', status: 'idle' });
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
    expect((await api.put(path, { title: 'Morning' })).body.title).toBe('Morning');
    expect((await api.get('/api/conversations')).body.conversations[0]).toMatchObject({ id, title: 'Morning' });
    expect((await api.delete(path)).status).toBe(204);
    for (const response of [await api.get(path), await api.delete(path), await api.put(path, { title: 'x' })])
      expect(response).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  });

  test('a conversation can be answered again, edited, stopped and continued over REST', async () => {
    const { path } = await assistant.begin();
    assistant.model.push({ text: 'first' }, { text: 'second' }, { text: 'third' });
    await api.post(`${path}/messages`, { text: 'one' });
    const first = await answerIn(api, path);
    await api.post(`${path}/messages/${first.id}/retry`);
    expect(textOf(await answerIn(api, path))).toBe('second');
    const [userMessage] = (await api.get(path)).body.messages;
    await api.post(`${path}/messages/${userMessage.id}/edit`, { text: 'two' });
    expect(textOf(await answerIn(api, path))).toBe('third');
    expect((await api.get(path)).body.messages).toHaveLength(2);
    expect((await api.post(`${path}/resume`)).status).toBe(409);
    expect((await api.post(`${path}/messages/${randomUUID()}/retry`)).status).toBe(404);

    assistant.model.push({ text: 'and so on ', endless: true });
    await api.post(`${path}/messages`, { text: 'three' });
    await waitFor(async () => textOf((await api.get(path)).body.messages.at(-1)).length > 0, { what: 'some text' });
    expect((await api.post(`${path}/stop`)).status).toBe(204);
    expect((await answerIn(api, path)).status).toBe('stopped');
    assistant.model.push({ text: 'the end' });
    await api.post(`${path}/resume`);
    const resumed = await answerIn(api, path);
    expect(resumed.status).toBe('complete');
    expect(textOf(resumed)).toContain('the end');
  });

  test('a conversation rejects empty and overlong messages', async () => {
    const { path } = await assistant.begin();
    for (const body of [{}, { text: '' }, { text: 'x'.repeat(200_001) }])
      expect((await api.post(`${path}/messages`, body)).status).toBe(400);
  });

  test('a conversation requires an assistant', async () => {
    expect((await api.post('/api/conversations', { assistantId: randomUUID() })).status).toBe(404);
    expect((await api.get('/api/conversations/none')).status).toBe(400);
    expect((await api.get(`/api/conversations/${randomUUID()}/events`)).status).toBe(404);
  });
});

describe('a conversation stream', () => {
  test('a conversation stream sends a snapshot and then every change [R14]', async () => {
    const hold = createGate();
    assistant.model.push({ text: 'Let me see. ', hold, calls: [{ name: 'mcp_files_echo', args: { text: 'seen' } }] });
    assistant.model.push({ text: 'It says seen.' });
    const { path } = await assistant.begin();
    await using early = await watch(path);
    await early.find('snapshot', ({ messages }) => messages.length === 0);
    const { body: begun } = await api.post(`${path}/messages`, { text: 'Look' });
    await early.find('message', ({ message }) => message.id === begun.id);
    await hold.reached;
    await using late = await watch(path);
    const snapshot = await late.find('snapshot');
    expect(snapshot.data.messages).toHaveLength(2);
    hold.open();
    const { id } = await questionOf(snapshot.data.conversation.id);
    await late.find('part', ({ part }) => part.type === 'tool-call' && part.status === 'asked');
    await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' });
    await answerIn(api, path);
    const { conversation, messages } = (await api.get(path)).body;
    for (const source of [early, late]) {
      await source.find('conversation', (data) => data.conversation.updatedAt === conversation.updatedAt);
      await waitFor(() => isDeepStrictEqual(replayed(source.events), { conversation, messages }), {
        what: 'the same state',
      });
    }
    await api.delete(path);
    await late.find('removed');
    await waitFor(late.ended);
  });

  test('a conversation stream ends at once when its key is revoked', async () => {
    const key = await api.key(['call']);
    const { path } = await assistant.begin({ key });
    await using source = await watch(path, key);
    await source.find('snapshot');
    const { keys } = (await api.get('/api/keys')).body;
    await api.delete(`/api/keys/${keys.at(-1).id}`);
    await waitFor(source.ended, { what: 'the end of the stream' });
  });
});

describe('access to a conversation', () => {
  test('access to a conversation is limited to its owner and administrators', async () => {
    const [own, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
    const { id, path } = await assistant.begin({ key: own });
    assistant.model.push({ text: 'mine' });
    const { id: message } = (await api.post(`${path}/messages`, { text: 'x' }, { key: own })).body;
    await answerIn(api, path, { key: own });
    const key = other;
    const refused = [
      await api.get(path, { key }),
      await api.put(path, { title: 'x' }, { key }),
      await api.post(`${path}/messages`, { text: 'x' }, { key }),
      await api.post(`${path}/messages/${message}/retry`, undefined, { key }),
      await api.post(`${path}/messages/${message}/edit`, { text: 'x' }, { key }),
      await api.post(`${path}/stop`, undefined, { key }),
      await api.post(`${path}/resume`, undefined, { key }),
      await api.post(`${path}/messages/${message}/select`, undefined, { key }),
      await api.get(`${path}/attachments/${randomUUID()}`, { key }),
      await api.get(`${path}/export`, { key }),
      await api.get(`${path}/events`, { key }),
      await api.delete(path, { key }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404));
    const listed = async (given: object) =>
      (await api.get('/api/conversations', given)).body.conversations.map((found: { id: string }) => found.id);
    const found = async (given: object) =>
      (await api.get('/api/conversations/search?query=mine', given)).body.matches.map(
        (match: { conversation: { id: string } }) => match.conversation.id,
      );
    expect(await found({ key: other })).toEqual([]);
    expect(await found({ key: own })).toEqual([id]);
    expect(await found({})).toEqual([]);
    expect(await listed({ key: other })).toEqual([]);
    expect(await listed({ key: own })).toEqual([id]);
    expect(await listed({})).toContain(id);
    expect((await api.get(path)).status).toBe(200);
  });

  test('events of a conversation are limited to its owner and administrators', async () => {
    const [own, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
    await using mine = await listenTo(api.url, { key: own });
    await using foreign = await listenTo(api.url, { key: other });
    await Promise.all([mine.find('ready'), foreign.find('ready')]);
    const { id, path } = await assistant.begin({ key: own });
    assistant.model.push({ text: 'done' });
    await api.post(`${path}/messages`, { text: 'x' }, { key: own });
    await mine.find('conversation.changed', (data) => data.id === id && data.status === 'running');
    await mine.find('conversation.changed', (data) => data.id === id && data.status === 'idle' && data.title === 'x');
    await api.delete(path, { key: own });
    await mine.find('conversation.removed', (data) => data.id === id);
    expect(foreign.events.map(({ name }) => name).filter((name) => name.startsWith('conversation'))).toEqual([]);
  });

  test('access to a conversation applies the profile of its owner', async () => {
    const key = await api.key(['read', 'call'], 'narrow');
    const { path } = await assistant.begin({ key });
    assistant.model.push({ text: 'ok' });
    await api.post(`${path}/messages`, { text: 'x' }, { key });
    await answerIn(api, path, { key });
    const shown = assistant.model.requests.at(-1)?.tools ?? [];
    expect(shown).toContain('mcp_files_echo');
    expect(shown).not.toContain('mcp_files_write');
    expect(shown).not.toContain('mcp_slow_linger');
  });
});

describe('an approval in a conversation', () => {
  test('an approval in a conversation is answered by its owner or by someone with the right [R15]', async () => {
    const [own, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
    await using mine = await listenTo(api.url, { key: own });
    await using foreign = await listenTo(api.url, { key: other });
    await Promise.all([mine.find('ready'), foreign.find('ready')]);
    const { id: conversation, path } = await assistant.begin({ key: own });
    assistant.model.push({ calls: [{ name: 'mcp_files_add', args: { a: 20, b: 22 } }] }, { text: 'It is 42.' });
    await api.post(`${path}/messages`, { text: 'Add' }, { key: own });
    const question = await questionOf(conversation, own);
    expect(question.mayAnswer).toBe(true);
    expect((await mine.find('approval.asked')).data.id).toBe(question.id);
    const answer = `/api/approvals/${question.id}/answer`;
    expect((await api.get(`/api/approvals/${question.id}`, { key: other })).status).toBe(404);
    expect((await api.post(answer, { answer: 'allow' }, { key: other })).status).toBe(404);
    expect((await api.get('/api/health', { key: own })).body.pendingApprovals).toBe(1);
    expect((await api.get('/api/health', { key: other })).body.pendingApprovals).toBe(0);
    for (const scope of ['tool', 'server'])
      expect((await api.post(answer, { answer: 'allow', scope }, { key: own })).status).toBe(403);
    expect((await api.post(answer, { answer: 'allow', scope: 'conversation' }, { key: own })).body).toMatchObject({
      answer: { kind: 'allow' },
    });
    expect(textOf(await answerIn(api, path, { key: own }))).toContain('It is 42.');
    await mine.find('approval.answered', ({ id }) => id === question.id);
    const ended = await mine.find('call.changed', ({ status }) => status === 'success');
    expect((await api.get(`/api/calls/${ended.data.id}`, { key: own })).body.result.content[0].text).toBe('42');
    expect((await api.get(`/api/calls/${ended.data.id}`, { key: other })).status).toBe(404);
    expect(foreign.events.map(({ name }) => name)).toEqual(['ready']);
  });

  test('an approval in a conversation that the profile requires is answered by an administrator', async () => {
    const key = await api.key(['read', 'call'], 'watched');
    const { id, path } = await assistant.begin({ key });
    assistant.model.push({ calls: [{ name: 'mcp_files_add', args: { a: 1, b: 1 } }] }, { text: 'It is 2.' });
    await api.post(`${path}/messages`, { text: 'Add' }, { key });
    const question = await questionOf(id, key);
    expect(question.mayAnswer).toBe(false);
    const answer = `/api/approvals/${question.id}/answer`;
    expect((await api.post(answer, { answer: 'allow' }, { key })).status).toBe(403);
    expect((await api.post(answer, { answer: 'allow' })).status).toBe(200);
    expect(textOf(await answerIn(api, path, { key }))).toContain('It is 2.');
  });

  test('an approval in a conversation is answered by the owner with `approvers: owner`, but not if the owner made the call', async () => {
    const key = await api.key(['read', 'call'], 'trusting');
    const { id, path } = await assistant.begin({ key });
    assistant.model.push({ calls: [{ name: 'mcp_files_add', args: { a: 1, b: 3 } }] }, { text: 'It is 4.' });
    await api.post(`${path}/messages`, { text: 'Add' }, { key });
    const question = await questionOf(id, key);
    expect(question).toMatchObject({ mayAnswer: true, audiences: ['conversation'] });
    const answer = `/api/approvals/${question.id}/answer`;
    expect((await api.post(answer, { answer: 'allow', scope: 'tool' }, { key })).status).toBe(403);
    expect((await api.post(answer, { answer: 'allow' }, { key })).status).toBe(200);
    expect(textOf(await answerIn(api, path, { key }))).toContain('It is 4.');

    const own = api.post('/api/tools/mcp_files_add/call', { arguments: { a: 5, b: 5 } }, { key });
    const pending = await waitFor(async () => {
      const { approvals } = (await api.get('/api/approvals?status=pending', { key })).body;
      return approvals.find(({ arguments: args }: { arguments: { a: number } }) => args.a === 5);
    });
    expect(pending.mayAnswer).toBe(false);
    expect((await api.post(`/api/approvals/${pending.id}/answer`, { answer: 'allow' }, { key })).status).toBe(403);
    await api.post(`/api/approvals/${pending.id}/answer`, { answer: 'deny' }, { key: api.adminToken });
    expect((await own).status).toBe(403);
  });

  test('an approval in a conversation is denied on every page when the conversation is stopped', async () => {
    await using source = await listenTo(api.url);
    await source.find('ready');
    const { id, path } = await assistant.begin();
    assistant.model.push({ calls: [{ name: 'mcp_files_add', args: { a: 1, b: 2 } }] });
    await api.post(`${path}/messages`, { text: 'Add' });
    const question = await questionOf(id);
    await api.post(`${path}/stop`);
    expect((await api.get(`/api/approvals/${question.id}`)).body).toMatchObject({
      status: 'denied',
      answer: { reason: expect.stringContaining('stopped') },
    });
    await source.find('approval.answered', (data) => data.id === question.id && data.answer === 'deny');
  });
});

test('an approval that was pending at a restart is answered afterwards, and its call runs once', async () => {
  await using directory = await tempDir();
  const sealer = createSealer(randomBytes(32));
  const open = () => openStorage({ kind: 'sqlite', file: directory.file('store.db'), sealer });
  const config = { servers: { files: fixture('legacy') }, gateway: { shutdown: '1s' } };
  const ran = directory.file('ran');
  const first = await startApi(config, { storage: await open() });
  await using scribe = await addScriptedAssistant(first, [
    { calls: [{ name: 'mcp_files_write', args: { path: ran, text: 'once' } }] },
    { text: 'Written.' },
  ]);
  const { path } = await scribe.begin();
  await first.post(`${path}/messages`, { text: 'Write' });
  const pending = async (at: TestApi) => (await at.get('/api/approvals?status=pending')).body.approvals;
  await waitFor(async () => (await pending(first)).length === 1, { what: 'the question' });
  const [approval] = await pending(first);
  await first.close();

  await using second = await startApi(config, { storage: await open() });
  expect(await pending(second)).toMatchObject([{ id: approval.id }]);
  await waitFor(async () => (await second.get(path)).body.conversation.status === 'asking', {
    what: 'it to ask again',
  });
  await second.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' });
  expect(textOf(await answerIn(second, path))).toContain('Written.');
  expect(await readFile(ran, 'utf8')).toBe('once\n');
});

test('a call of an assistant can be watched and cancelled by its id, and has the answer as its parent', async () => {
  await using source = await listenTo(api.url);
  await source.find('ready');
  const own = await api.key(['read', 'call']);
  const { path } = await assistant.begin({ key: own });
  assistant.model.push({ calls: [{ name: 'mcp_slow_linger', args: { path: '/dev/null' } }] }, { text: 'Never mind.' });
  await api.post(`${path}/messages`, { text: 'Wait' }, { key: own });
  const { conversation } = (await api.get(path)).body;
  await api.post(`/api/approvals/${(await questionOf(conversation.id)).id}/answer`, { answer: 'allow' });
  const progressed = await source.find('call.progressed', ({ message }) => message !== 'Waiting for approval');
  expect((await api.post(`/api/calls/${progressed.data.id}/cancel`, undefined, { key: own })).status).toBe(204);
  expect(textOf(await answerIn(api, path))).toContain('Never mind.');
  const [, answer] = (await api.get(path)).body.messages;
  expect(answer.parts).toContainEqual(expect.objectContaining({ callId: progressed.data.id, status: 'cancelled' }));
  const parent = { kind: 'answer', id: answer.id };
  expect((await api.get(`/api/calls?parent=${answer.id}`)).body.calls).toMatchObject([
    { id: progressed.data.id, tool: 'mcp_slow_linger', parent },
  ]);
  const ended = await source.find('call.changed', ({ id, end }) => id === progressed.data.id && end === 'cancelled');
  expect(ended.data.parent).toEqual(parent);
});

test('the first start creates a demo assistant that works without a key, and a removed demo assistant is not created again', async () => {
  await using own = await startApi({ servers: { files: fixture('legacy') } });
  const { assistants } = (await own.get('/api/assistants')).body;
  expect(assistants).toMatchObject([{ name: 'Demo assistant', model: { provider: 'demo' }, serverIds: ['files'] }]);
  const { body } = await own.post('/api/conversations', {});
  await own.post(`/api/conversations/${body.id}/messages`, { text: 'Hello' });
  const answer = await answerIn(own, `/api/conversations/${body.id}`);
  expect(textOf(answer)).toMatch(/script/i);
  await own.delete(`/api/assistants/${assistants[0].id}`);
  expect((await own.get('/api/assistants')).body.assistants).toEqual([]);
});

test('every route of conversations was called', () => {
  expect(unasked(({ group }) => group === 'chat')).toEqual([]);
});

interface Replayed {
  conversation: unknown;
  messages: { id: string; parts: { text?: string }[] }[];
}

/** The content that a client derives from the snapshot and all later events. */
function replayed(events: readonly SentEvent[]): Replayed {
  const state: Replayed = { conversation: undefined, messages: [] };
  for (const { name, data: sent } of events) {
    const data = structuredClone(sent);
    const at = (id: unknown) => state.messages.findIndex((message) => message.id === id);
    if (name === 'snapshot') Object.assign(state, data);
    else if (name === 'conversation') state.conversation = data.conversation;
    else if (name === 'message') {
      const { message } = data;
      state.messages.splice(at(message.id) < 0 ? state.messages.length : at(message.id), 1, message);
    } else if (name === 'cut') state.messages.length = at(data.message);
    else if (name === 'part' || name === 'text') {
      const { message, index, part, text } = data;
      const { parts } = state.messages[at(message)] as Replayed['messages'][number];
      if (name === 'part') parts[index] = part;
      else parts[index] = { ...parts[index], text: `${parts[index]?.text ?? ''}${text}` };
    }
  }
  return state;
}
