import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../packages/contract/records/conversation.ts';
import { shippedRoles, withImplied } from '../../packages/contract/rights.ts';
import { createApiKey } from '../../packages/gateway/core/auth/api-keys.ts';
import { everyPermission, type Identity } from '../../packages/gateway/core/auth/identity.ts';
import { createOwnership } from '../../packages/gateway/core/auth/ownership.ts';
import { createPersons } from '../../packages/gateway/core/auth/persons.ts';
import { toIdentity } from '../../packages/gateway/core/auth/users.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import type { Caller } from '../../packages/toolwharf/kernel/tool.ts';
import type { ApprovalRequest } from '../../packages/toolwharf/policy/approval.ts';
import { startApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { addScriptedAssistant } from '../support/scripted-assistant.ts';
import { waitFor } from '../support/wait-for.ts';

const issuer = 'https://id.example.com';

/** Every kind of identity that two administrators, Ada and Max, can have, and keys of the operator. */
async function identities() {
  const storage = await openStorage({ kind: 'memory' });
  const { users, keys, conversations } = storage;
  const persons = createPersons({ users, keys, jwt: () => ({ issuer: `${issuer}/` }) });
  const all: { readonly person: string; readonly kind: string; readonly identity: Identity }[] = [];

  async function createKey(creator: Identity): Promise<Identity> {
    const { record } = createApiKey({ name: 'k', rights: ['admin'], createdBy: await persons.creatorOf(creator) });
    await keys.add(record);
    return { caller: { id: `key:${record.id}`, kind: 'client' }, permissions: everyPermission, via: 'key' };
  }

  for (const subject of ['ada', 'max']) {
    const claims = { issuer, subject, groups: [], roles: ['admin'], claimsAt: new Date().toISOString() } as const;
    const user = await toIdentity(await users.save(`id-of-${subject}`, claims), storage.roles);
    const jwt: Identity = {
      caller: { id: `jwt:${subject}`, kind: 'person' },
      permissions: everyPermission,
      via: 'jwt',
    };
    const key = await createKey(user);
    const of = { session: user, 'OAuth token': { ...user, via: 'oauth' as const }, JWT: jwt, key };
    const more = { 'key of a JWT': await createKey(jwt), 'key of a key': await createKey(key) };
    const last = { 'key of a key of a key': await createKey(more['key of a key']) };
    for (const [kind, identity] of Object.entries({ ...of, ...more, ...last }))
      all.push({ person: subject, kind, identity });
  }
  const operator: Identity = {
    caller: { id: 'admin', kind: 'person' },
    permissions: everyPermission,
    via: 'admin-token',
  };
  for (const person of ['bot', 'reviewer']) {
    const key = await createKey(operator);
    all.push({ person, kind: 'key of the operator', identity: key });
    all.push({ person, kind: 'key of a key of the operator', identity: await createKey(key) });
  }
  const toolbox = { config: { profiles: [] }, catalog: { find: () => undefined } } as never;
  const ownership = createOwnership({ conversations, persons, toolbox });
  return { all, operator, ownership };
}

const toRequest = (caller: Caller) => ({ id: 'a', caller, tool: 't' }) as ApprovalRequest;
type Made = (identity: Identity) => { readonly caller: Caller; readonly owner?: string };

const calls: Record<string, Made> = {
  'a call': ({ caller }) => ({ caller }),
  'a call of an assistant': ({ caller }) => ({
    caller: { id: 'assistant:1', kind: 'assistant', conversation: 'c', user: caller.user },
    owner: caller.id,
  }),
};

describe.each(Object.entries(calls))('the approval of %s', (_name, makeCall) => {
  test('an approval is answered by administrators who are other people, never by another identity of the same person [O8]', async () => {
    const { all, ownership } = await identities();
    const wrong: string[] = [];
    for (const asker of all)
      for (const answerer of all) {
        const { caller, owner } = makeCall(asker.identity);
        if (owner !== undefined) ownership.setOwner('c', owner);
        const right = await ownership.answerRight(answerer.identity, toRequest(caller));
        const expected = asker.person === answerer.person ? 'none' : 'everyone';
        if (right === expected) continue;
        wrong.push(`${asker.person} (${asker.kind}) by ${answerer.person} (${answerer.kind}): ${right}`);
      }
    expect(wrong).toEqual([]);
    expect(all.length).toBeGreaterThan(15);
  });

  test('an approval is answered by the operator, also if the call is their own', async () => {
    const { all, operator, ownership } = await identities();
    for (const { identity } of [...all, { identity: operator }]) {
      const { caller, owner } = makeCall(identity);
      if (owner !== undefined) ownership.setOwner('c', owner);
      expect(await ownership.answerRight(operator, toRequest(caller))).toBe('everyone');
    }
  });
});

test('a person who approves for others does not for the assistant, token or key of their own', async () => {
  const { all, ownership } = await identities();
  const [session] = all.filter(({ person, kind }) => person === 'ada' && kind === 'session');
  const approver = { ...(session?.identity as Identity), permissions: withImplied(shippedRoles.approver.permissions) };
  for (const { person, identity } of all)
    expect(await ownership.answerRight(approver, toRequest(identity.caller))).toBe(
      person === 'ada' ? 'none' : 'conversation',
    );
});

test('the owner of a conversation is loaded from the store when the gateway has restarted', async () => {
  const { all, ownership: _ } = await identities();
  const storage = await openStorage({ kind: 'memory' });
  const conversations = { get: async () => ({ owner: 'jwt:ada' }) as Conversation };
  const persons = createPersons({ ...storage, jwt: () => ({ issuer }) });
  const ownership = createOwnership({
    conversations,
    persons,
    toolbox: { catalog: { find: () => undefined } } as never,
  });
  const jwt = all.find(({ kind }) => kind === 'JWT')?.identity as Identity;
  const caller = { id: 'assistant:1', kind: 'assistant', conversation: 'c' } as const;
  expect(await ownership.answerRight(jwt, toRequest(caller))).toBe('none');
});

test('a person who is disabled has no access with a token of the same issuer and subject for programs either', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'k' };
  const provider = createServer((_request, response) => void response.end(JSON.stringify({ keys: [key] })));
  using _end = { [Symbol.dispose]: () => void provider.close() };
  provider.keepAliveTimeout = 600_000;
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const jwksUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
  const jwt = { issuer: `${issuer}/`, audience: 'tools', jwksUrl };
  await using api = await startApi({ servers: {}, gateway: { jwt, requireAuthentication: true } });
  const claims = { issuer, subject: 'ada', groups: [], roles: ['member'], claimsAt: new Date().toISOString() } as const;
  const { id } = await api.storage.users.save('id-of-ada', claims);
  const token = async (sub: string) =>
    new SignJWT({ iss: jwt.issuer, aud: 'tools', sub })
      .setExpirationTime('1h')
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey);
  const [ada, max] = [await token('ada'), await token('max')];
  expect((await api.get('/api/session', { key: ada })).body.caller.id).toBe('jwt:ada');
  await api.post(`/api/users/${id}/disable`, undefined, { key: api.adminToken });
  expect(await api.get('/api/session', { key: ada })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  });
  expect((await api.get('/api/session', { key: max })).status).toBe(200);
  await api.post(`/api/users/${id}/enable`, undefined, { key: api.adminToken });
  expect((await api.get('/api/session', { key: ada })).status).toBe(200);
  provider.closeAllConnections();
});

test("a key's call is not answered over REST by a key that it created, and is by a key of the operator [O8]", async () => {
  await using api = await startApi({
    servers: { s: fixture('legacy') },
    toolbox: { approval: { mode: 'always-ask' } },
  } as never);
  const [own, reviewer] = [await api.key(['admin']), await api.key(['admin'])];
  const created = await api.post('/api/keys', { name: 'second', rights: ['admin'] }, { key: own });
  const second = String(created.body.key);
  expect(created.body.createdBy).toMatch(/^key:/);
  const third = String((await api.post('/api/keys', { name: 'third', rights: ['admin'] }, { key: second })).body.key);
  const { keys } = (await api.get('/api/keys', { key: api.adminToken })).body;
  expect(keys.map(({ createdBy }: { createdBy?: string }) => createdBy)).toEqual([
    undefined,
    undefined,
    created.body.createdBy,
    created.body.createdBy,
  ]);
  const calling = api.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 } }, { key: second });
  const pending = await waitFor(
    async () => (await api.get('/api/approvals?status=pending', { key: own })).body.approvals[0],
    { what: 'a pending approval' },
  );
  for (const key of [own, second, third]) {
    const single = await api.post(`/api/approvals/${pending.id}/answer`, { answer: 'allow' }, { key });
    const answers = [{ approval: pending.id, answer: { answer: 'allow' } }];
    const several = await api.post('/api/approvals/answers', { answers }, { key });
    expect([single.status, several.status]).toEqual([403, 403]);
  }
  const answered = await api.post(`/api/approvals/${pending.id}/answer`, { answer: 'allow' }, { key: reviewer });
  expect(answered.status).toBe(200);
  expect((await calling).body.text).toBe('3');
});

test("an administrator's key cannot store a profile with which calls need no approval, and the operator can [O8]", async () => {
  await using api = await startApi({
    servers: { s: fixture('legacy') },
    toolbox: { approval: { mode: 'always-ask' } },
    gateway: { requireAuthentication: true },
  });
  const key = await api.key(['admin', 'call']);
  const mine = { approval: { mode: 'auto' } };
  const forbidden = { status: 403, body: { error: { code: 'FORBIDDEN' } } };
  expect(await api.post('/api/profiles', { name: 'mine', ...mine }, { key })).toMatchObject(forbidden);
  expect(await api.put('/api/profiles/default', mine, { key })).toMatchObject(forbidden);
  expect((await api.post('/api/profiles', { name: 'mine', description: 'strict' }, { key })).status).toBeLessThan(300);
  expect(await api.put('/api/profiles/mine', mine, { key })).toMatchObject(forbidden);
  expect((await api.put('/api/profiles/mine', mine, { key: api.adminToken })).status).toBe(200);
  // What the operator has allowed stays when something else changes.
  const described = { description: 'Runs at once', approval: { mode: 'auto' } };
  expect((await api.put('/api/profiles/mine', described, { key })).status).toBe(200);
  expect(
    await api.put('/api/profiles/mine', { approval: { ...mine.approval, approvers: 'client' } }, { key }),
  ).toMatchObject(forbidden);
});

test("the assistant of an administrator's key asks as the key itself would, whatever its approval mode [O8]", async () => {
  await using api = await startApi({
    servers: { s: fixture('legacy') },
    toolbox: { approval: { mode: 'always-ask' } },
  });
  await using assistant = await addScriptedAssistant(api, [], { toolApproval: 'auto', serverIds: ['s'] });
  const key = await api.key(['admin', 'read', 'call']);
  for (const options of [{ key }, {}]) {
    const { path } = await assistant.begin(options);
    assistant.model.push({ calls: [{ name: 'mcp_s_add', args: { a: 1, b: 2 } }] }, { text: 'Done.' });
    await api.post(`${path}/messages`, { text: 'Go' }, options);
    const end = await waitFor(
      async () => {
        const { status } = (await api.get(path, options)).body.conversation;
        return status !== 'running' && status;
      },
      { what: 'the question or the end' },
    );
    expect(end).toBe('key' in options ? 'asking' : 'idle');
  }
});
