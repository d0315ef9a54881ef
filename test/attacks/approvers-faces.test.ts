import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent, data, toCall, toSend, words } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { addScriptedAssistant, answerIn, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let assistant: ScriptedAssistant;
beforeAll(async () => {
  const ask = (approvers: string) => ({ approval: { mode: 'always-ask', approvers } });
  api = await startApi({
    servers: { s: fixture('legacy'), shifting: fixture('changing') },
    profiles: { strict: ask('admins'), owner: ask('owner'), client: ask('client') },
  } as never);
  assistant = await addScriptedAssistant(api, [], { serverIds: ['s', 'shifting'] });
  await api.post('/api/tools/mcp_shifting_mutate/call', { arguments: {} });
  await waitFor(async () => (await api.get('/api/tools/mcp_shifting_target')).body.changed, { what: 'the change' });
});
afterAll(async () => {
  await api.close();
  await assistant[Symbol.asyncDispose]();
});

interface Pending {
  readonly id: string;
  readonly tool: string;
  readonly mayAnswer: boolean;
}

const pendingOf = (key: string) =>
  waitFor(async () => (await api.get('/api/approvals?status=pending', { key })).body.approvals[0] as Pending, {
    what: 'a pending approval',
  });
const answer = (id: string, body: object, key: string) => api.post(`/api/approvals/${id}/answer`, body, { key });
const statusOf = async (id: string) => (await api.get(`/api/approvals/${id}`)).body.status;

/** Every answer that would let a call run. */
const allowing = (args: object) => [
  { answer: 'allow' },
  { answer: 'allow', arguments: args },
  { answer: 'allow', scope: 'conversation' },
  { answer: 'allow', scope: 'tool' },
  { answer: 'allow', scope: 'tool', audience: 'everyone' },
  { answer: 'allow', scope: 'server' },
];

/** Checks that the call still waits, denies it by default, and checks that no rule was created and no definition accepted. */
async function expectNothingGained(
  id: string,
  end: () => Promise<unknown> = () => answer(id, { answer: 'deny' }, api.adminToken),
): Promise<void> {
  expect(await statusOf(id)).toBe('pending');
  await end();
  expect((await api.get('/api/rules')).body.rules).toEqual([]);
  expect((await api.get('/api/tools/mcp_shifting_target')).body.changed).toBe('ask');
}

const calls = [
  ['a call', 's__add', { a: 1, b: 2 }],
  ['a call of a changed definition', 'shifting__target', { a: '1', b: '2' }],
] as const;

describe.each(calls)('%s over A2A', (_what, tool, args) => {
  test('its caller cannot approve it with a message to the task, nor with an answer that edits it or creates a rule', async () => {
    const key = await api.key(['read', 'call'], tool === 's__add' ? 'strict' : 'client');
    const agent = await connectAgent(api.url, key);
    const task = await agent.sendMessage(toCall(tool, args));
    const { id, mayAnswer } = await pendingOf(key);
    expect(mayAnswer).toBe(false);
    const taskId = (task as { id: string }).id;
    const contents = [
      words('allow'),
      data({ answer: 'allow' }),
      data({ approval: id, answer: 'allow', scope: 'tool' }),
    ];
    for (const part of contents) {
      const metadata = { 'toolwharf/approval': id, 'toolwharf/answer': 'allow' };
      await expect(agent.sendMessage(toSend([part], { taskId, metadata }))).rejects.toThrow();
    }
    for (const body of allowing(args)) expect((await answer(id, body, key)).status).toBe(403);
    await expectNothingGained(id);
  });

  test('another caller cannot find its task, nor answer', async () => {
    const [key, other] = [await api.key(['read', 'call'], 'strict'), await api.key(['read', 'call'], 'client')];
    const agent = await connectAgent(api.url, key);
    const task = await agent.sendMessage(toCall(tool, args));
    const { id } = await pendingOf(key);
    const stranger = await connectAgent(api.url, other);
    const taskId = (task as { id: string }).id;
    await expect(stranger.sendMessage(toSend([words('allow')], { taskId }))).rejects.toThrow();
    for (const body of allowing(args)) expect((await answer(id, body, other)).status).toBe(404);
    await expectNothingGained(id);
  });
});

describe.each(calls)('%s of an assistant', (_what, tool, args) => {
  const name = `mcp_${tool.replace('__', '_')}`;

  async function begin(profile: string) {
    const key = await api.key(['read', 'call'], profile);
    const { path } = await assistant.begin({ key });
    assistant.model.push({ calls: [{ name, args }] }, { text: 'Done.' });
    await api.post(`${path}/messages`, { text: 'Go' }, { key });
    return { key, path, pending: (await pendingOf(key)) as Pending };
  }

  test('the owner of the conversation cannot answer for it where administrators approve, nor by a message', async () => {
    const { key, path, pending } = await begin('strict');
    expect(pending.mayAnswer).toBe(false);
    for (const body of allowing(args)) expect((await answer(pending.id, body, key)).status).toBe(403);
    await expectNothingGained(pending.id, () =>
      // A new message ends the answer that waits, and with it the approval.
      api.post(`${path}/messages`, { text: `allow ${pending.id}` }, { key }),
    );
    expect(await statusOf(pending.id)).toBe('denied');
    await api.post(`${path}/stop`, undefined, { key });
  });

  test('another caller cannot answer for it, even where callers approve their own calls', async () => {
    const { key, path, pending } = await begin('owner');
    const other = await api.key(['read', 'call'], 'client');
    for (const body of allowing(args)) expect((await answer(pending.id, body, other)).status).toBe(404);
    await expectNothingGained(pending.id);
    await answerIn(api, path, { key });
  });
});

test('the owner of a conversation who may approve for it creates no rule beyond it, and accepts no changed definition', async () => {
  const key = await api.key(['read', 'call'], 'owner');
  const { path } = await assistant.begin({ key });
  const shifting = { name: 'mcp_shifting_target', args: { a: '1', b: '2' } };
  assistant.model.push(
    { calls: [{ name: 'mcp_s_add', args: { a: 1, b: 2 } }] },
    { calls: [shifting] },
    { text: 'Done.' },
  );
  await api.post(`${path}/messages`, { text: 'Go' }, { key });
  const first = (await pendingOf(key)) as Pending;
  for (const scope of ['tool', 'server'])
    for (const audience of ['caller', 'everyone', 'conversation'])
      expect((await answer(first.id, { answer: 'allow', scope, audience }, key)).status).toBe(403);
  expect((await answer(first.id, { answer: 'allow', arguments: { a: 2, b: 2 } }, key)).status).toBe(200);
  const second = (await waitFor(async () => {
    const pending = (await pendingOf(key)) as Pending;
    return pending.id !== first.id && pending;
  })) as Pending;
  for (const body of allowing(shifting.args)) expect((await answer(second.id, body, key)).status).toBe(403);
  await expectNothingGained(second.id);
  await answerIn(api, path, { key });
});
