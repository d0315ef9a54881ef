import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { startApp } from './support/app.ts';

let provider: TestIdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
  await provider.setPerson('ada', { name: 'Ada', email: 'ada@example.com', groups: ['admins'] });
  await provider.setPerson('max', { name: 'Max', email: 'max@example.com', groups: ['staff'] });
  await provider.setPerson('eve', { name: 'Eve', groups: [] });
});
afterAll(() => provider?.[Symbol.asyncDispose]());

const config = () => ({
  servers: {},
  gateway: {
    oidc: { ...provider.oidc, name: 'Example ID', roles: { admin: ['admins'], member: ['staff'] } },
  },
});

test('a person signs in with the provider, returns to their page, is managed by an administrator and signs out', async () => {
  await using app = await startApp(config());
  const { page } = app;
  await app.goto('/settings/session');
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
  await page.getByRole('button', { name: 'max' }).click();
  // The browser is back on the page where it began.
  await page.getByRole('heading', { name: 'Current session' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/settings/session');
  const facts = page.getByRole('main');
  await facts.getByText('Max', { exact: true }).waitFor();
  await facts.getByText('Example ID').waitFor();
  await facts.getByText('Member', { exact: true }).waitFor();

  const admin = await app.openPage('/settings/users');
  await admin.getByRole('link', { name: 'Sign in with Example ID' }).click();
  await admin.getByRole('button', { name: 'ada' }).click();
  const users = admin.getByRole('list', { name: 'Users' });
  await users.getByText('Ada', { exact: true }).waitFor();
  await users.getByText('max@example.com').waitFor();
  await admin.getByRole('button', { name: 'Disable Max' }).click();
  await users.getByRole('button', { name: 'Enable Max' }).waitFor();
  // The session of the other browser has ended.
  await page.reload();
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
  // The provider still knows the person, and the gateway refuses.
  await page.getByRole('alert').getByText('An administrator has disabled your access.').waitFor();

  await admin.getByRole('button', { name: 'Remove Max' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await users.getByText('max@example.com').waitFor({ state: 'detached' });

  await admin.getByRole('tab', { name: 'Session' }).click();
  await admin.getByRole('button', { name: 'Sign out' }).click();
  await admin.getByRole('button', { name: 'Sign out everywhere' }).click();
  await admin.getByRole('link', { name: 'Sign in with Example ID' }).waitFor();
  expect(new URL(admin.url()).origin).toBe(app.url);
  expect(app.takePageErrors().filter((error) => !error.startsWith(`request to ${provider.issuer}`))).toEqual([]);
});

test('a failed sign-in says why, and a key still signs in', async () => {
  await using app = await startApp(config());
  const { page } = app;
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
  await page.getByRole('button', { name: 'eve' }).click();
  await page.getByRole('alert').getByText('Your account has no access to this gateway.').waitFor();
  await page.getByText('Use an API key or the admin token').click();
  await page.getByLabel('API key or admin token').fill(app.adminToken);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(app.takePageErrors().filter((error) => !error.startsWith(`request to ${provider.issuer}`))).toEqual([]);
});
