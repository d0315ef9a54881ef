import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPersonalServer } from '../support/personal-server.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { startReplicas } from './replicas.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('an account that is connected on one replica is used by the others, and its removal ends its calls on all of them', async () => {
  await using personal = await startPersonalServer({ 'alice-TOKEN': 'Alice', 'bob-TOKEN': 'Bob' });
  const authentication = { type: 'bearer', token: '${account:token}' } as const;
  const notes = { url: personal.url, authentication, credentials: 'per-user' } as const;
  await using replicas = await startReplicas(postgres, { servers: { notes } });
  const [one, two] = replicas.all;
  const createKey = async () =>
    String((await one.post('/api/keys', { name: 'test' }, { key: replicas.adminToken })).body.key);
  const [alice, bob] = [await createKey(), await createKey()];
  const connect = async (key: string, token: string) => {
    const { status, body } = await one.post('/api/accounts', { server: 'notes', values: { token } }, { key });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  const account = await connect(alice, 'alice-TOKEN');
  await connect(bob, 'bob-TOKEN');
  const stored = await replicas.database.sql('select owner, sealed from accounts');
  expect(stored).toHaveLength(2);
  expect(JSON.stringify(stored)).not.toContain('TOKEN');

  await waitFor(() => two.toolbox.catalog.find('mcp_notes_whoami'), { what: 'the tools on the other replica' });
  const call = async (tool: string, key: string) =>
    (await two.post(`/api/tools/mcp_notes_${tool}/call`, {}, { key })).body;
  expect((await call('whoami', alice)).text).toBe('Alice');
  expect((await call('whoami', bob)).text).toBe('Bob');

  const arrived = personal.held();
  const running = call('hold', alice);
  await arrived;
  await one.delete(`/api/accounts/${account.id}`, { key: alice });
  expect((await running).error.code).toBe('OUTCOME_UNKNOWN');
  expect((await call('whoami', bob)).text).toBe('Bob');
  // A sealed account opens only in the row of its owner: it cannot be given to somebody else in the database.
  const owner = String((await one.get('/api/session', { key: alice })).body.caller.id);
  await replicas.database.sql(`update accounts set owner = '${owner}'`);
  const { error } = (await two.get('/api/accounts', { key: alice })).body;
  expect(error.code).toBe('STORAGE_UNAVAILABLE');
});
