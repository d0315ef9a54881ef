import { expect, test } from 'vitest';
import { oauthServerKey } from '../../packages/toolwharf/connections/authentication/oauth-store.ts';
import { startApi } from '../support/api.ts';
import { freePort, startServers, visit } from '../support/oauth.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';

test('a person signs in to a server through the gateway, and the server connects when the browser returns [R3]', async () => {
  const { mcp } = await startServers();
  const servers = { guarded: { url: mcp, authentication: { type: 'oauth' } } } as const;
  await using gateway = await openTestGateway({ servers }, { port: await freePort() });
  const status = () => gateway.toolbox.servers.get('guarded')?.status;
  await expect.poll(() => status()?.signInUrl).toBeDefined();
  expect(status()?.signInUrl).toContain(encodeURIComponent('/api/oauth/callback'));

  const foreign = await fetch(`${gateway.url}/api/oauth/callback?state=%3Cscript%3E&code=x`);
  expect([foreign.status, foreign.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await foreign.text()).not.toContain('<script>');

  const back = await fetch(`${gateway.url}/api/oauth/callback?${await visit(status()?.signInUrl as string)}`);
  expect(await back.text()).toContain('guarded is connected');
  const acts = await gateway.parts.storage.journal.list({ kind: 'administration' });
  expect(acts).toMatchObject([{ originalName: 'finishSignIn', arguments: { server: 'guarded' }, status: 'success' }]);
  await using client = await connectClient(`${gateway.url}/mcp`);
  expect(await client.names()).toContain('guarded__echo');
});

test('the sign-in to a server is revoked when an administrator signs out or removes the server', async () => {
  const authorization = await startServers();
  await using api = await startApi({}, { port: await freePort() });
  const admin = { key: api.adminToken };
  const guarded = { name: 'guarded', transport: 'http', url: authorization.mcp, authentication: { type: 'oauth' } };
  expect((await api.post('/api/servers', guarded, admin)).status).toBe(201);
  const status = () => api.toolbox.servers.get('guarded')?.status;
  async function signIn(): Promise<void> {
    await expect.poll(() => status()?.signInUrl).toBeDefined();
    const back = await fetch(`${api.url}/api/oauth/callback?${await visit(status()?.signInUrl as string)}`);
    expect(await back.text()).toContain('guarded is connected');
  }
  const revocations = async () => (await authorization.stats()).revocations.map(({ kind }) => kind);

  await signIn();
  expect((await api.delete('/api/servers/guarded/sign-in', admin)).status).toBe(204);
  await expect.poll(revocations).toEqual(['rt']);
  await signIn();
  expect((await api.delete('/api/servers/guarded', admin)).status).toBe(204);
  await expect.poll(revocations).toEqual(['rt', 'rt']);
  expect((await authorization.stats()).validTokens).toBe(0);
  expect(await api.storage.oauth.get(oauthServerKey('guarded', authorization.mcp), 'client')).toBeUndefined();
  await expect.poll(() => api.log.filter(({ event }) => event === 'oauth.revoked').length).toBe(2);
});

test('removing a server disconnects the accounts of people there, and closing the gateway waits for revocations', async () => {
  const authorization = await startServers();
  const api = await startApi({}, { port: await freePort() });
  const admin = { key: api.adminToken };
  const authentication = { type: 'oauth' };
  const guarded = {
    name: 'guarded',
    transport: 'http',
    url: authorization.mcp,
    authentication,
    credentials: 'per-user',
  };
  expect((await api.post('/api/servers', guarded, admin)).status).toBe(201);
  const { body, headers } = await api.post('/api/accounts', { server: 'guarded' }, admin);
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  await fetch(`${api.url}/api/oauth/callback?${await visit(String(body.signInUrl))}`, { headers: { cookie } });
  expect((await api.get('/api/accounts', admin)).body.accounts).toMatchObject([{ state: 'connected' }]);

  expect((await api.delete('/api/servers/guarded', admin)).status).toBe(204);
  expect((await api.get('/api/accounts', admin)).body.accounts).toEqual([]);
  await api.close();
  expect((await authorization.stats()).revocations).toMatchObject([{ kind: 'rt' }]);
});
