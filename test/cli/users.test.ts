import { afterAll, expect, test } from 'vitest';
import { tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { createTestBrowser, signInAs, startIdentityProvider } from '../support/identity-provider.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

test('toolwharf users lists the people who signed in, disables and enables them', async () => {
  await using provider = await startIdentityProvider();
  await provider.setPerson('max', { name: 'Max', email: 'max@example.com', groups: ['staff'] });
  const cli = cliIn(directory);
  const config = await cli.config({
    gateway: { oidc: { ...provider.oidc, roles: { member: ['staff'] } } },
    servers: {},
  });
  await using gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
  expect((await cli.run(['users'])).stderr).toContain('Nobody has signed in');
  const browser = createTestBrowser();
  await signInAs(browser, gateway.url, 'max');
  const status = async () =>
    (await fetch(`${gateway.url}/api/calls`, { headers: { cookie: browser.cookieFor(gateway.url) } })).status;
  expect(await status()).toBe(200);
  expect((await cli.run(['users', 'list'])).stdout).toMatch(/^\w{8} +Max +max@example\.com +member +default +/m);
  const disabled = await cli.run(['users', 'disable', 'max@example.com']);
  expect(disabled).toMatchObject({ code: 0, stdout: 'Disabled: max@example.com\n' });
  expect(await status()).toBe(401);
  expect((await cli.run(['users'])).stdout).toContain('member (disabled)');
  const [user] = JSON.parse((await cli.run(['users', '--json'])).stdout);
  const enabled = await cli.run(['users', 'enable', user.id.slice(0, 8), '--json']);
  expect(JSON.parse(enabled.stdout)).toEqual({ id: user.id, name: 'max@example.com' });
  expect(JSON.parse((await cli.run(['users', 'disable', user.id, '--json'])).stdout)).toMatchObject({ id: user.id });
  expect((await cli.run(['users', 'disable', 'mex@example.com'])).stderr).toContain("did you mean 'max@example.com'?");
});
