import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent, toCall } from '../support/a2a.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const ask = (approvers?: string) => ({ approval: { mode: 'always-ask', ...(approvers && { approvers }) } });
const eras = ['legacy', 'auto'] as const;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    servers: { s: fixture('legacy'), shifting: fixture('changing') },
    profiles: {
      strict: ask(),
      owner: ask('owner'),
      client: ask('client'),
      open: { approval: { mode: 'auto', approvers: 'client' } },
    },
  } as never);
});
afterAll(() => api.close());

interface Asked {
  readonly id: string;
  readonly mayAnswer: boolean;
  readonly audiences: readonly string[];
}

const pendingOf = (key: string): Promise<Asked> =>
  waitFor(
    async () => (await api.get('/api/approvals?status=pending', { key })).body.approvals[0] as Asked | undefined,
    {
      what: 'a pending approval',
    },
  ) as Promise<Asked>;
const answer = (id: string, body: object, key: string) => api.post(`/api/approvals/${id}/answer`, body, { key });
const rules = async () => (await api.get('/api/rules')).body.rules as { id: string; audience: string }[];

describe.each(eras)('a client of the %s era', (era) => {
  test.each(['strict', 'owner'])(
    'the client is not asked about its own call under the profile %s, and cannot answer',
    async (profile) => {
      const key = await api.key(['read', 'call'], profile);
      let asked = 0;
      await using client = await connectClient(`${api.url}/mcp`, {
        era,
        key,
        elicit: () => {
          asked++;
          return { action: 'accept', content: { answer: 'server' } };
        },
      });
      const calling = client.text('s__add', { a: 1, b: 2 });
      const pending = await pendingOf(key);
      expect(pending).toMatchObject({ mayAnswer: false, audiences: [] });
      expect((await answer(pending.id, { answer: 'allow' }, key)).status).toBe(403);
      expect((await answer(pending.id, { answer: 'deny' }, key)).status).toBe(403);
      expect((await answer(pending.id, { answer: 'allow' }, api.adminToken)).status).toBe(200);
      expect(await calling).toBe('3');
      expect(asked).toBe(0);
      expect(await rules()).toEqual([]);
    },
  );

  test('the client is asked if the profile has approvers: client, for one call at a time, and creates no rule', async () => {
    const key = await api.key(['read', 'call'], 'client');
    const replies = [{ answer: 'once' }, { answer: 'server' }, { answer: 'tool' }, { answer: 'once' }];
    const messages: unknown[] = [];
    await using client = await connectClient(`${api.url}/mcp`, {
      era,
      key,
      elicit: (params) => {
        messages.push(params.requestedSchema);
        return { action: 'accept', content: replies.shift() };
      },
    });
    expect(await client.text('s__add', { a: 1, b: 2 })).toBe('3');
    expect(await client.text('s__add', { a: 1, b: 3 })).toContain('denied');
    expect(await client.text('s__add', { a: 1, b: 4 })).toContain('denied');
    expect(await client.text('s__add', { a: 1, b: 5 })).toBe('6');
    expect(messages).toHaveLength(4);
    expect(messages[0]).toMatchObject({ properties: { answer: { enum: ['once', 'deny'] } } });
    expect(await rules()).toEqual([]);
    const [call] = (await api.get('/api/calls?limit=1', { key })).body.calls;
    expect(call.approval).toMatchObject({ answer: 'allow', by: 'the user of test' });
  });

  test('the client is never asked about a changed definition, and the pin stays', async () => {
    const key = await api.key(['read', 'call'], 'open');
    let asked = 0;
    await using client = await connectClient(`${api.url}/mcp`, {
      era,
      key,
      elicit: () => {
        asked++;
        return { action: 'accept', content: { answer: 'once' } };
      },
    });
    expect(await client.text('shifting__mutate')).toBeDefined();
    await waitFor(async () => (await api.get('/api/tools/mcp_shifting_target')).body.changed, { what: 'the change' });
    const calling = client.text('shifting__target', { a: '1', b: '2' });
    const pending = await pendingOf(key);
    expect(pending.mayAnswer).toBe(false);
    expect((await answer(pending.id, { answer: 'allow' }, key)).status).toBe(403);
    await answer(pending.id, { answer: 'deny' }, api.adminToken);
    expect(await calling).toContain('denied');
    expect(asked).toBe(0);
    expect((await api.get('/api/tools/mcp_shifting_target')).body.changed).toBe('ask');
  });
});

describe('over REST and A2A', () => {
  const call = (args: object, key: string) => api.post('/api/tools/mcp_s_add/call', { arguments: args }, { key });

  test('a caller approves its own call only if the profile has approvers: client, and only once', async () => {
    const key = await api.key(['read', 'call'], 'client');
    const calling = call({ a: 2, b: 2 }, key);
    const pending = await pendingOf(key);
    expect(pending).toMatchObject({ mayAnswer: true, audiences: [] });
    for (const scope of ['conversation', 'tool', 'server'])
      expect((await answer(pending.id, { answer: 'allow', scope }, key)).status).toBe(403);
    expect((await answer(pending.id, { answer: 'allow' }, key)).status).toBe(200);
    expect((await calling).body.text).toBe('4');
    expect(await rules()).toEqual([]);
  });

  test("an administrator's key cannot approve its own call, and another administrator can", async () => {
    const [key, other] = [await api.key(['admin']), await api.key(['admin'])];
    await using client = await connectClient(`${api.url}/mcp/strict`, { key });
    const calling = client.text('s__add', { a: 2, b: 3 });
    const pending = await pendingOf(key);
    expect((await answer(pending.id, { answer: 'allow' }, key)).status).toBe(403);
    expect((await answer(pending.id, { answer: 'allow' }, other)).status).toBe(200);
    expect(await calling).toBe('5');
  });

  test('an A2A task waits for an answer of another caller', async () => {
    const key = await api.key(['read', 'call'], 'strict');
    const agent = await connectAgent(api.url, key);
    const sent = agent.sendMessage(toCall('s__add', { a: 3, b: 3 }));
    const pending = await pendingOf(key);
    expect(pending.mayAnswer).toBe(false);
    expect((await answer(pending.id, { answer: 'allow' }, key)).status).toBe(403);
    expect((await answer(pending.id, { answer: 'deny' }, api.adminToken)).status).toBe(200);
    await sent;
  });

  test('an approval under a profile that lets the caller answer does not count under a stricter profile', async () => {
    await using client = await connectClient(`${api.url}/mcp/client`);
    await using strict = await connectClient(`${api.url}/mcp/strict`);
    const [first, second] = [client.text('s__add', { a: 5, b: 5 }), strict.text('s__add', { a: 5, b: 5 })];
    const pending = await waitFor(async () => {
      const { approvals } = (await api.get('/api/approvals?status=pending')).body;
      return approvals.length === 2 ? (approvals as { id: string; approvers: string }[]) : undefined;
    });
    expect(pending?.map(({ approvers }) => approvers).sort()).toEqual(['admins', 'client']);
    for (const { id } of pending ?? []) await answer(id, { answer: 'allow' }, api.adminToken);
    expect([await first, await second]).toEqual(['10', '10']);
  });
});

describe('a remembered answer', () => {
  const call = (args: object, key: string) => api.post('/api/tools/mcp_s_add/call', { arguments: args }, { key });

  test('a remembered answer is for the key that asked by default; others are asked, and calls that ran by the rule name it', async () => {
    const [key, other] = [await api.key(['read', 'call'], 'strict'), await api.key(['read', 'call'], 'strict')];
    const first = call({ a: 1, b: 1 }, key);
    const pending = await pendingOf(key);
    await answer(pending.id, { answer: 'allow', scope: 'tool' }, api.adminToken);
    await first;
    const [rule] = await rules();
    expect(rule).toMatchObject({ audience: 'caller', callerName: 'test', createdBy: 'Administrator (admin)' });
    const { callId } = (await call({ a: 1, b: 2 }, key)).body;
    expect((await api.get(`/api/calls/${callId}`, { key })).body).toMatchObject({ rule: rule?.id, status: 'success' });
    const asked = call({ a: 1, b: 2 }, other);
    const question = await pendingOf(other);
    await answer(question.id, { answer: 'deny' }, api.adminToken);
    expect((await asked).status).toBe(403);
    await api.delete(`/api/rules/${rule?.id}`);
  });

  test('a remembered answer applies to everyone only if an administrator chooses it', async () => {
    const [key, other] = [await api.key(['read', 'call'], 'strict'), await api.key(['read', 'call'], 'strict')];
    const first = call({ a: 1, b: 1 }, key);
    const pending = await pendingOf(key);
    await answer(pending.id, { answer: 'allow', scope: 'tool', audience: 'everyone' }, api.adminToken);
    await first;
    expect((await call({ a: 4, b: 2 }, other)).body.text).toBe('6');
    for (const { id } of await rules()) await api.delete(`/api/rules/${id}`);
  });

  test('a remembered answer with argument patterns applies only to arguments that match', async () => {
    const key = await api.key(['read', 'call'], 'strict');
    const echo = (text: string) => api.post('/api/tools/mcp_s_echo/call', { arguments: { text } }, { key });
    const first = echo('docs/a.md');
    const pending = await pendingOf(key);
    await answer(pending.id, { answer: 'allow', scope: 'tool', matching: { text: 'docs/*' } }, api.adminToken);
    await first;
    expect((await echo('docs/b.md')).body.text).toBe('docs/b.md');
    for (const outside of ['secret.md', 'docs/../secret.md']) {
      const asked = echo(outside);
      const question = await pendingOf(key);
      await answer(question.id, { answer: 'deny' }, api.adminToken);
      expect((await asked).status).toBe(403);
    }
    for (const { id } of await rules()) await api.delete(`/api/rules/${id}`);
  });

  test('a remembered answer of an earlier version is for everyone', async () => {
    const entry = api.toolbox.catalog.find('mcp_s_add');
    await api.storage.rules.add({
      id: 'old',
      scope: 'tool',
      answer: 'allow',
      serverAddress: entry?.serverAddress,
      tool: 'add',
      definitionHash: entry?.definitionHash,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await rules())[0]).toMatchObject({ id: 'old', audience: 'everyone' });
    const key = await api.key(['read', 'call'], 'strict');
    expect((await call({ a: 4, b: 4 }, key)).body.text).toBe('8');
    await api.delete('/api/rules/old');
  });
});

test('the journal has the approver, the arguments that the caller sent and those that ran', async () => {
  const key = await api.key(['read', 'call'], 'strict');
  const calling = api.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 9 } }, { key });
  const pending = await pendingOf(key);
  await answer(pending.id, { answer: 'allow', arguments: { a: 20, b: 2 } }, api.adminToken);
  const { callId } = (await calling).body;
  expect(await api.storage.journal.get(callId)).toMatchObject({
    arguments: { a: 20, b: 2 },
    approval: { id: pending.id, answer: 'allow', by: 'Administrator (admin)', originalArguments: { a: 1, b: 9 } },
  });
});
