import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { callEcho, connect, createBrowser, createTestOAuth, startServers, visit } from '../support/oauth.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { startReplicas } from './replicas.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('replicas whose token expired refresh it once, and all of their calls succeed', async () => {
  const servers = await startServers();
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await workspace.open({ leaseMs: 600_000 });
  await using two = await workspace.open({ leaseMs: 600_000 });
  await using three = await workspace.open({ leaseMs: 600_000 });
  const callback = createBrowser();
  const clients = [];
  for (const { oauth: store } of [one, two, three])
    clients.push(await connect(servers.mcp, createTestOAuth(servers.mcp, { store, callback }).oauth));
  for (let round = 1; round <= 3; round++) {
    await servers.expire();
    await Promise.all(clients.flatMap((client) => Array.from({ length: 5 }, () => callEcho(client))));
    expect(await servers.stats()).toMatchObject({ refresh: round, reuse: 0, authorize: 1 });
  }
  expect(await workspace.sql('select name from locks')).toEqual([]);
});

test('a lock of a replica that is gone is taken over', async () => {
  using workspace = await createPostgresWorkspace(postgres);
  await using one = await workspace.open({ leaseMs: 600_000 });
  await using two = await workspace.open({ leaseMs: 600_000 });
  const held = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = one.oauth.withLock?.('server', async () => {
    order.push('first');
    await held.promise;
  });
  await waitFor(() => order.length === 1, { what: 'the first holder' });
  const second = two.oauth.withLock?.('server', async () => void order.push('second'));
  await two.oauth.withLock?.('another server', async () => void order.push('another'));
  expect(order).toEqual(['first', 'another']);
  await workspace.sql(`update owners set expires_at = 0 where id = '${one.fleet?.replica}'`);
  await second;
  expect(order).toEqual(['first', 'another', 'second']);
  held.resolve();
  await first;
});

test('a sign-in that started on one replica finishes on another, beside other pending ones, and connects all', async () => {
  const { mcp } = await startServers();
  const authentication = { type: 'oauth', redirectUrl: 'http://127.0.0.1:9/api/oauth/callback' } as const;
  const servers = { guarded: { url: mcp, authentication } };
  await using replicas = await startReplicas(postgres, { servers });
  const [one, two] = replicas.all;
  const urlOn = (replica: typeof one) => replica.toolbox.servers.get('guarded')?.status.signInUrl;
  const url = await waitFor(() => urlOn(one), { what: 'the sign-in on the first replica' });
  await waitFor(() => urlOn(two), { what: 'the sign-in on the second replica' });
  // Another sign-in begins before the first one ends.
  const pending = await two.storage.oauth.get(`guarded ${mcp}`, 'pending');
  if (!pending) throw new Error('A sign-in is pending');
  await two.storage.oauth.set(`guarded ${mcp}`, 'pending', { ...pending, state: 'another' });
  const back = await fetch(`${two.url}/api/oauth/callback?${await visit(String(url))}`);
  expect(await back.text()).toContain('guarded is connected');
  await waitFor(() => one.toolbox.servers.get('guarded')?.status.state === 'connected', {
    what: 'the connection of the first replica',
  });
});

test('administrators who sign out on two replicas at the same time revoke the sign-in once', async () => {
  const { mcp, stats } = await startServers();
  const authentication = { type: 'oauth', redirectUrl: 'http://127.0.0.1:9/api/oauth/callback' } as const;
  await using replicas = await startReplicas(postgres, { servers: { guarded: { url: mcp, authentication } } });
  const [one, two] = replicas.all;
  const url = await waitFor(() => one.toolbox.servers.get('guarded')?.status.signInUrl, { what: 'the sign-in' });
  await fetch(`${one.url}/api/oauth/callback?${await visit(String(url))}`);
  for (const { toolbox } of replicas.all)
    await waitFor(() => toolbox.servers.get('guarded')?.status.state === 'connected', { what: 'the connection' });
  const admin = { key: replicas.adminToken };
  await Promise.all([one, two].map((replica) => replica.delete('/api/servers/guarded/sign-in', admin)));
  const logged = () => [one, two].flatMap(({ log }) => log).filter(({ event }) => event === 'oauth.revoked');
  await waitFor(() => logged().length > 0, { what: 'the revocation' });
  // Both replicas have deleted the sign-in, so no other revocation can follow.
  expect((await stats()).revocations).toHaveLength(1);
  expect(logged()).toHaveLength(1);
});
