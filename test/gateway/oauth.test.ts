import { expect, test } from 'vitest';
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
