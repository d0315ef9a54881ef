import { expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { createTestBrowser, signInAs, startIdentityProvider } from '../support/identity-provider.ts';
import { startPersonalServer } from '../support/personal-server.ts';

test('people who sign in have accounts of their own, and lose them when they are removed', async () => {
  await using provider = await startIdentityProvider();
  await provider.setPerson('root', { name: 'Root', groups: ['admins'] });
  await provider.setPerson('mia', { name: 'Mia', groups: ['staff'] });
  await provider.setPerson('max', { name: 'Max', groups: ['staff'] });
  await using personal = await startPersonalServer({ 'mia-TOKEN': 'Mia', 'max-TOKEN': 'Max' });
  const authentication = { type: 'bearer', token: '${account:token}' } as const;
  await using api = await startApi({
    servers: { notes: { url: personal.url, authentication, credentials: 'per-user' } },
    gateway: { oidc: { ...provider.oidc, roles: { admin: ['admins'], member: ['staff'] } } },
  });

  /** The session of a person's browser. */
  async function signedIn(login: string) {
    const browser = createTestBrowser();
    await signInAs(browser, api.url, login);
    const own = { headers: { cookie: browser.cookieFor(api.url), 'x-toolwharf': '1' } };
    const { body } = await api.get('/api/session', own);
    return { own, user: String(body.caller.user) };
  }
  const [root, mia, max] = [await signedIn('root'), await signedIn('mia'), await signedIn('max')];
  for (const [{ own }, token] of [
    [mia, 'mia-TOKEN'],
    [max, 'max-TOKEN'],
  ] as const)
    expect((await api.post('/api/accounts', { server: 'notes', values: { token } }, own)).status).toBe(201);

  const whoami = async ({ own }: typeof mia) => (await api.post('/api/tools/mcp_notes_whoami/call', {}, own)).body;
  expect([(await whoami(mia)).text, (await whoami(max)).text]).toEqual(['Mia', 'Max']);
  // Another browser of the same person has the same accounts.
  expect((await whoami(await signedIn('max'))).text).toBe('Max');

  const listed = (await api.get('/api/accounts?all=true', root.own)).body.accounts;
  expect(listed).toMatchObject([
    { owner: `user:${mia.user}`, ownerName: 'Mia', isOwn: false },
    { owner: `user:${max.user}`, ownerName: 'Max', isOwn: false },
  ]);
  await api.delete(`/api/users/${max.user}`, root.own);
  const left = (await api.get('/api/accounts?all=true', root.own)).body.accounts;
  expect(left.map(({ ownerName }: { ownerName: string }) => ownerName)).toEqual(['Mia']);
});
