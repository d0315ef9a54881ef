import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, connectRooted } from '../support/mcp-client.ts';
import { freePort } from '../support/oauth.ts';
import { connectClient } from '../support/open-gateway.ts';
import { type PersonalServer, startPersonalServer } from '../support/personal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const tokens = {
  'alice-TOKEN': 'Alice',
  'alice-work-TOKEN': 'Alice at work',
  'bob-TOKEN': 'Bob',
  'carol-TOKEN': 'Carol',
};

let personal: PersonalServer;
let api: TestApi;
let alice: string;
let bob: string;

beforeAll(async () => {
  personal = await startPersonalServer(tokens);
  const authentication = { type: 'bearer', token: '${account:token}' } as const;
  api = await startApi(
    {
      servers: {
        notes: { url: personal.url, authentication, credentials: 'per-user', description: 'Notes of each person' },
        narrow: { url: personal.url, authentication, credentials: 'per-user', maxAccountConnections: 2 },
        // Each account has a process of its own.
        local: { ...fixture('legacy', { TOKEN: '${account:token}' }), credentials: 'per-user' },
        logging: {
          ...fixture('both-eras', { TOKEN: '${account:token}' }),
          protocol: 'legacy',
          credentials: 'per-user',
        },
        rooted: {
          ...fixture('rooted', { TOKEN: '${account:token}' }),
          credentials: 'per-user',
          isolation: 'session',
        },
      },
      profiles: { default: {}, few: { servers: ['other'] } },
    },
    { port: await freePort() },
  );
  alice = await api.key(['read', 'call']);
  bob = await api.key(['read', 'call']);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await personal[Symbol.asyncDispose]();
});

interface Connected {
  readonly id: string;
}

async function connect(
  key: string,
  token: string,
  { server = 'notes', label }: { server?: string; label?: string } = {},
) {
  const { status, body } = await api.post('/api/accounts', { server, label, values: { token } }, { key });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as Connected;
}

async function disconnectAll(): Promise<void> {
  const { body } = await api.get('/api/accounts?all=true', { key: api.adminToken });
  for (const { id } of body.accounts as Connected[]) await api.delete(`/api/accounts/${id}`, { key: api.adminToken });
}

/** The text of a call over MCP by the holder of a key. */
async function call(key: string, name: string, { account, args = {} }: { account?: string; args?: object } = {}) {
  await using client = await connectClient(`${api.url}/mcp`, { key });
  const _meta = account === undefined ? undefined : { 'toolwharf/account': account };
  const result = await client.client.callTool({ name, arguments: args as Record<string, unknown>, _meta });
  return (result.content as { text?: string }[]).map(({ text = '' }) => text).join('');
}

describe('a server with per-user credentials', () => {
  test('a server with per-user credentials is called with the account of the caller, and the journal names the account', async () => {
    await connect(alice, 'alice-TOKEN', { label: 'private' });
    await connect(bob, 'bob-TOKEN');
    expect(await call(alice, 'notes__whoami')).toBe('Alice');
    expect(await call(bob, 'notes__whoami')).toBe('Bob');
    const calls = await api.storage.journal.list({ server: 'notes' });
    expect(calls.map(({ account }) => account?.label).sort()).toEqual(['Account', 'private']);
    expect(JSON.stringify(calls)).not.toContain('TOKEN');
    await disconnectAll();
  });

  test('a caller without an account gets the address of the page, and never the account of another person', async () => {
    await connect(alice, 'alice-TOKEN');
    const before = personal.seen.length;
    const text = await call(bob, 'notes__whoami');
    expect(text).toContain("You have no account at server 'notes'");
    expect(text).toContain(`${api.url}/accounts?server=notes`);
    expect(personal.seen.length).toBe(before);
    const [record] = await api.storage.journal.list({ server: 'notes', limit: 1 });
    expect(record?.error?.code).toBe('ACCOUNT_REQUIRED');
    await disconnectAll();
  });

  test('several accounts at one server: calls use the default one, or the one they name', async () => {
    await connect(alice, 'alice-TOKEN', { label: 'private' });
    const { id } = await connect(alice, 'alice-work-TOKEN', { label: 'work' });
    await connect(bob, 'bob-TOKEN', { label: 'bob' });
    expect(await call(alice, 'notes__whoami')).toBe('Alice');
    expect(await call(alice, 'notes__whoami', { account: 'work' })).toBe('Alice at work');
    expect(await call(alice, 'notes__whoami', { account: 'bob' })).toContain("no account 'bob'");
    const rest = await api.post('/api/tools/mcp_notes_whoami/call', { account: 'work' }, { key: alice });
    expect(rest.body.content).toEqual([{ type: 'text', text: 'Alice at work' }]);
    await api.put(`/api/accounts/${id}`, { isDefault: true }, { key: alice });
    expect(await call(alice, 'notes__whoami')).toBe('Alice at work');
    await api.delete(`/api/accounts/${id}`, { key: alice });
    expect(await call(alice, 'notes__whoami')).toBe('Alice');
    await disconnectAll();
  });

  test('an account is stored only if the server accepts it, and no value can be a reference to a variable of the gateway', async () => {
    const refused = await api.post(
      '/api/accounts',
      { server: 'notes', values: { token: 'wrong-TOKEN' } },
      { key: alice },
    );
    expect(refused.body.error).toMatchObject({ code: 'REQUEST_INVALID' });
    expect(refused.body.error.message).toContain('did not accept these credentials');
    for (const token of ['${PATH}', '${file:/etc/passwd}', 'a\nb', '']) {
      const { status } = await api.post('/api/accounts', { server: 'notes', values: { token } }, { key: alice });
      expect(status).toBe(400);
    }
    const unknown = { server: 'notes', values: { token: 'alice-TOKEN', other: 'x' } };
    expect((await api.post('/api/accounts', unknown, { key: alice })).status).toBe(400);
    const { body } = await api.get('/api/accounts', { key: alice });
    expect(body.accounts).toEqual([]);
    expect(body.servers).toContainEqual({ server: 'notes', description: 'Notes of each person', fields: ['token'] });
  });

  test('people see and end their own accounts only; administrators list and revoke all, without the secrets', async () => {
    const { id } = await connect(alice, 'alice-TOKEN', { label: 'private' });
    expect((await api.get('/api/accounts', { key: bob })).body.accounts).toEqual([]);
    expect((await api.get('/api/accounts?all=true', { key: bob })).status).toBe(403);
    expect((await api.put(`/api/accounts/${id}`, { label: 'mine' }, { key: bob })).status).toBe(404);
    expect((await api.delete(`/api/accounts/${id}`, { key: bob })).status).toBe(404);
    // Not even an administrator can change it or choose it for a call.
    expect((await api.put(`/api/accounts/${id}`, { label: 'mine' }, { key: api.adminToken })).status).toBe(404);
    expect(await call(api.adminToken, 'notes__whoami', { account: id })).toContain('You have no account');
    const { body } = await api.get('/api/accounts?all=true', { key: api.adminToken });
    expect(body.accounts).toMatchObject([{ id, label: 'private', isOwn: false, ownerName: 'test' }]);
    expect((await api.delete(`/api/accounts/${id}`, { key: api.adminToken })).status).toBe(204);
    expect(await call(alice, 'notes__whoami')).toContain('You have no account');
    expect(api.answers.join()).not.toContain('alice-TOKEN');
    const acts = await api.storage.journal.list({ kind: 'administration' });
    expect(acts.map(({ originalName }) => originalName)).toEqual(
      expect.arrayContaining(['connectAccount', 'disconnectAccount']),
    );
    expect(JSON.stringify(acts)).not.toContain('TOKEN');
    expect(JSON.stringify(api.log)).not.toContain('TOKEN');
  });

  test('the accounts of a key are deleted when the key is revoked', async () => {
    const key = await api.key(['read', 'call']);
    await connect(key, 'carol-TOKEN');
    const { body } = await api.get('/api/session', { key });
    await api.delete(`/api/keys/${String(body.caller.id).replace('key:', '')}`, { key: api.adminToken });
    expect((await api.get('/api/accounts?all=true', { key: api.adminToken })).body.accounts).toEqual([]);
  });

  test('the accounts page hides servers that the profile hides', async () => {
    const key = await api.key(['read', 'call'], 'few');
    expect((await api.get('/api/accounts', { key })).body.servers).toEqual([]);
    const refused = await api.post('/api/accounts', { server: 'notes', values: { token: 'bob-TOKEN' } }, { key });
    expect(refused.status).toBe(404);
  });

  test('the tools come from the oldest account, and another account with another definition cannot call it', async () => {
    const first = await connect(alice, 'alice-TOKEN');
    personal.descriptions.set('Bob', 'Sends your files to me');
    await connect(bob, 'bob-TOKEN');
    expect(await call(alice, 'notes__whoami')).toBe('Alice');
    expect(await call(bob, 'notes__whoami')).toContain("another definition of 'whoami'");
    personal.descriptions.clear();
    // Without the oldest account, the next one is used.
    await api.delete(`/api/accounts/${first.id}`, { key: alice });
    await expect.poll(() => api.toolbox.servers.get('notes')?.status.state).toBe('connected');
    await disconnectAll();
    expect(api.toolbox.servers.get('notes')?.status).toMatchObject({ state: 'error', code: 'ACCOUNT_REQUIRED' });
  });

  test('resources are read with the account of the caller, and the list of one person is not shown to others', async () => {
    await connect(alice, 'alice-TOKEN');
    await connect(bob, 'bob-TOKEN');
    expect(api.toolbox.resources.list('notes')).toEqual([]);
    const caller = { id: 'key:nobody', kind: 'client' } as const;
    await expect(api.toolbox.resources.read('notes', 'diary://Alice', { caller })).rejects.toMatchObject({
      code: 'ACCOUNT_REQUIRED',
    });
    const read = await api.get('/api/servers/notes/resources/read?uri=diary%3A%2F%2FAlice', { key: bob });
    expect(read.body.contents).toEqual([{ uri: 'diary://Alice', text: 'the diary of Bob' }]);
    await disconnectAll();
  });

  test('with several such servers, a resource is read where the account of the caller lists it', async () => {
    await connect(alice, 'alice-TOKEN');
    await connect(alice, 'any', { server: 'local' });
    await using client = await connectClient(`${api.url}/mcp`, { key: alice });
    const read = async (uri: string) => (await client.client.readResource({ uri })).contents;
    expect(await read('diary://Alice')).toEqual([{ uri: 'diary://Alice', text: 'the diary of Alice' }]);
    expect(await read('memo://one')).toMatchObject([{ uri: 'memo://one' }]);
    await expect(read('diary://Bob')).rejects.toMatchObject({ message: expect.stringContaining('not found') });
    await using other = await connectClient(`${api.url}/mcp`, { key: bob });
    await expect(other.client.readResource({ uri: 'diary://Alice' })).rejects.toMatchObject({
      message: expect.stringContaining('not found'),
    });
    await disconnectAll();
  });

  test('with several such servers, a client subscribes to a resource of its account and completes its arguments', async () => {
    await connect(alice, 'alice-TOKEN');
    await connect(alice, 'any', { server: 'local' });
    const [uri, ofBob] = ['diary://Alice', 'diary://Bob'];
    await using legacy = await connectMcp(`${api.url}/mcp`, 'legacy', { key: alice });
    expect(await legacy.client.subscribeResource({ uri })).toEqual({});
    await expect(legacy.client.subscribeResource({ uri: ofBob })).rejects.toThrow('not found');
    const argument = { name: 'page', value: '' };
    const { completion } = await legacy.client.complete({ ref: { type: 'ref/resource', uri }, argument });
    expect(completion.values).toEqual(['Alice']);
    await using modern = await connectMcp(`${api.url}/mcp`, 'modern', { key: alice });
    const { honoredFilter } = await modern.client.listen({ resourceSubscriptions: [uri, ofBob] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [uri] });
    await disconnectAll();
  });

  test('a server that an administrator disconnected opens no session for anybody', async () => {
    await connect(alice, 'alice-TOKEN');
    await api.post('/api/servers/notes/disconnect', undefined, { key: api.adminToken });
    const read = await api.get('/api/servers/notes/resources/read?uri=diary%3A%2F%2FAlice', { key: alice });
    expect(read.body.error.code).toBe('SERVER_DISCONNECTED');
    const refused = await api.post('/api/accounts', { server: 'notes', values: { token: 'bob-TOKEN' } }, { key: bob });
    expect(refused.body.error.code).toBe('SERVER_DISCONNECTED');
    await api.post('/api/servers/notes/connect', undefined, { key: api.adminToken });
    expect(await call(alice, 'notes__whoami')).toBe('Alice');
    await disconnectAll();
  });

  test('the same idempotency key of two people gives each their own result', async () => {
    await connect(alice, 'alice-TOKEN');
    await connect(bob, 'bob-TOKEN');
    for (const [key, text] of [
      [alice, 'Alice'],
      [bob, 'Bob'],
    ] as const) {
      const { body } = await api.post('/api/tools/mcp_notes_whoami/call', { idempotencyKey: 'same' }, { key });
      expect(body.content).toEqual([{ type: 'text', text }]);
    }
    await disconnectAll();
  });
});

describe('an account that is disconnected', () => {
  test('an account that is disconnected ends its running calls, and those of others go on', async () => {
    const { id } = await connect(alice, 'alice-TOKEN');
    await connect(bob, 'bob-TOKEN');
    let arrived = personal.held();
    const ofAlice = call(alice, 'notes__hold');
    await arrived;
    arrived = personal.held();
    const ofBob = call(bob, 'notes__hold');
    await arrived;
    await api.delete(`/api/accounts/${id}`, { key: alice });
    expect(await ofAlice).toContain('MCP error');
    personal.release();
    expect(await ofBob).toBe('Bob');
    await disconnectAll();
  });

  test('a token that the server no longer accepts makes the account wait for new credentials', async () => {
    const { id } = await connect(alice, 'alice-TOKEN', { label: 'private' });
    personal.people.delete('alice-TOKEN');
    expect(await call(alice, 'notes__whoami')).toContain("no longer accepts the account 'private'");
    const { body } = await api.get('/api/accounts', { key: alice });
    expect(body.accounts).toMatchObject([{ id, state: 'pending' }]);
    personal.people.set('new-TOKEN', 'Alice');
    await connect(alice, 'new-TOKEN', { label: 'private' });
    expect(await call(alice, 'notes__whoami')).toBe('Alice');
    personal.people.set('alice-TOKEN', 'Alice');
    await disconnectAll();
  });
});

describe('the connections of accounts', () => {
  test('the connections of accounts are limited: idle ones are closed, and no call takes one that is in use', async () => {
    // The first account stays connected, because it reads the list of tools.
    await connect(alice, 'alice-TOKEN', { server: 'narrow' });
    await connect(bob, 'bob-TOKEN', { server: 'narrow' });
    const carol = await api.key(['read', 'call']);
    await connect(carol, 'carol-TOKEN', { server: 'narrow' });
    const arrived = personal.held();
    const held = call(bob, 'narrow__hold');
    await arrived;
    expect(await call(carol, 'narrow__whoami')).toContain('2 accounts in use already');
    personal.release();
    expect(await held).toBe('Bob');
    expect(await call(carol, 'narrow__whoami')).toBe('Carol');
    expect(await call(bob, 'narrow__whoami')).toBe('Bob');
    await disconnectAll();
  });

  test('accounts are disconnected when their stored server gets another host or name, and stay with other changes', async () => {
    const admin = { key: api.adminToken };
    const authentication = { type: 'bearer', token: '${account:token}' };
    const server = { name: 'own', url: personal.url, authentication, credentials: 'per-user' };
    const elsewhere = personal.url.replace('127.0.0.1', 'localhost');
    expect(elsewhere).not.toBe(personal.url);
    const owners = async () => {
      const { body } = await api.get('/api/accounts?all=true', admin);
      return body.accounts.filter((account: { server: string }) => /^(own|renamed)$/.test(account.server)).length;
    };
    expect((await api.post('/api/servers', server, admin)).status).toBe(201);
    await connect(alice, 'alice-TOKEN', { server: 'own' });
    const change = async (name: string, changed: object) => {
      const { status, body } = await api.put(`/api/servers/${name}`, { ...server, ...changed }, admin);
      expect({ status, body }).toMatchObject({ status: 200 });
      return owners();
    };
    expect(await change('own', { description: 'Other words', url: `${personal.url}?v=2` })).toBe(1);
    expect(await change('own', { url: elsewhere })).toBe(0);
    await connect(alice, 'alice-TOKEN', { server: 'own' });
    expect(await change('own', { url: elsewhere, name: 'renamed' })).toBe(0);
    await api.delete('/api/servers/renamed', admin);
  });

  test('a person has at most ten accounts at a server', async () => {
    for (let number = 1; number <= 10; number++) await connect(alice, 'alice-TOKEN', { label: `number ${number}` });
    const { body } = await api.post(
      '/api/accounts',
      { server: 'notes', values: { token: 'alice-TOKEN' } },
      { key: alice },
    );
    expect(body.error.code).toBe('LIMIT_REACHED');
    await disconnectAll();
  });

  test('a local program runs once for each account, with its value in the environment and never in a result', async () => {
    await connect(alice, 'alice-TOKEN', { server: 'local' });
    await connect(bob, 'bob-TOKEN', { server: 'local' });
    const [one, other] = [await call(alice, 'local__pid'), await call(bob, 'local__pid')];
    expect(one).toMatch(/^\d+$/);
    expect(other).not.toBe(one);
    expect(await call(alice, 'local__pid')).toBe(one);
    const shown = await call(alice, 'local__env', { args: { name: 'TOKEN' } });
    expect(shown).not.toBe('');
    expect(shown).not.toContain('alice-TOKEN');
    await disconnectAll();
  });

  test('accounts that are used later log at the level that a client has set', async () => {
    await connect(bob, 'x', { server: 'logging' });
    await using bobs = await connectMcp(`${api.url}/mcp`, 'legacy', { key: bob });
    await bobs.client.setLoggingLevel('info');
    await connect(alice, 'y', { server: 'logging' });
    // A legacy client that sets no level gets all messages.
    await using alices = await connectMcp(`${api.url}/mcp`, 'legacy', { key: alice });
    expect(await alices.text('logging__report')).toBe('reported');
    expect(alices.logs()).toEqual(['report', 'report', 'report']);
    await disconnectAll();
  });

  test('the server of an account asks a client with a session of its own for its changed roots', async () => {
    await connect(alice, 'x', { server: 'rooted' });
    await using client = await connectRooted(`${api.url}/mcp`, 'file:///one', alice);
    expect(await client.text('rooted__roots')).toBe('unchanged');
    await client.announceRoots('rooted__roots');
    await disconnectAll();
  });

  test('an MCP client reads a resource of its own account, which no shared list names', async () => {
    await connect(alice, 'alice-TOKEN');
    await using client = await connectClient(`${api.url}/mcp`, { key: alice });
    const { contents } = await client.client.readResource({ uri: 'diary://Alice' });
    expect(contents).toHaveLength(1);
    await disconnectAll();
  });

  test('an update of a resource reaches the subscriptions of the person whose account was notified, and no other', async () => {
    await connect(alice, 'alice-TOKEN', { server: 'local' });
    await connect(bob, 'bob-TOKEN', { server: 'local' });
    await using ofAlice = await connectClient(`${api.url}/mcp`, { key: alice, era: 'legacy' });
    await using ofBob = await connectClient(`${api.url}/mcp`, { key: bob, era: 'legacy' });
    const updates: string[] = [];
    for (const [name, { client }] of Object.entries({ alice: ofAlice, bob: ofBob })) {
      client.setNotificationHandler('notifications/resources/updated', async () => void updates.push(name));
      await client.subscribeResource({ uri: 'memo://one' });
    }
    await ofAlice.text('local__touch', { uri: 'memo://one' });
    await waitFor(() => updates.length > 0, { what: 'the update' });
    await ofBob.text('local__touch', { uri: 'memo://one' });
    await waitFor(() => updates.includes('bob'), { what: 'the update of the other account' });
    expect(updates).toEqual(['alice', 'bob']);
    await disconnectAll();
  });
});

describe('a call that waits for an account', () => {
  for (const era of ['legacy', 'auto'] as const) {
    test(`a call that waits for an account leads the user of a ${era === 'auto' ? 'modern' : era} client to the page and goes on afterwards`, async () => {
      await connect(alice, 'alice-TOKEN');
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: era } },
      );
      const asked: Record<string, unknown>[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push({ ...params });
        // The person opens the page and connects an account there while the call waits.
        void connect(bob, 'bob-TOKEN');
        return { action: 'accept' };
      });
      const requestInit = { headers: { authorization: `Bearer ${bob}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
      const result = await client.callTool({ name: 'notes__whoami', arguments: {} });
      expect(result.content).toEqual([{ type: 'text', text: 'Bob' }]);
      expect(asked).toMatchObject([{ mode: 'url', url: `${api.url}/accounts?server=notes` }]);
      await client.close();
      await disconnectAll();
    });
  }

  test('a call that waits for an account ends if the user declines', async () => {
    await connect(alice, 'alice-TOKEN');
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: { url: {} } } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
    const requestInit = { headers: { authorization: `Bearer ${bob}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
    const result = await client.callTool({ name: 'notes__whoami', arguments: {} });
    expect(JSON.stringify(result.content)).toContain('You have no account');
    await client.close();
    await disconnectAll();
  });
});

test('every route of accounts is called here', () => {
  expect(unasked(({ group }) => group === 'accounts')).toEqual([]);
});
