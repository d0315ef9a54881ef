import { expect, test } from 'vitest';
import { features } from '../../packages/gateway/features/index.ts';
import { startApp } from './support/app.ts';

const off = Object.fromEntries(features.map(({ name }) => [name, false]));

test('an app without features has none of their pages, tabs and commands, and their links say that they are off', async () => {
  await using app = await startApp({ servers: {}, features: off } as never);
  const { page } = app;
  const links = page.getByRole('navigation').getByRole('link');
  await expect
    .poll(() => links.allInnerTexts())
    .toEqual(
      expect.arrayContaining([
        'Overview',
        'Tools',
        'Calls',
        'Approvals',
        'Servers',
        'Clients',
        'Profiles',
        'Settings',
        'Documentation',
      ]),
    );
  await page.getByRole('heading', { name: 'Get started' }).waitFor();
  expect(await page.getByText('Try the demo').count()).toBe(0);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('new script');
  await page.getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');

  for (const path of ['/chat', '/assistants/new', '/scripts', '/accounts', '/settings/models', '/tools?show=skills']) {
    await app.goto(path);
    await page.getByText('This gateway runs without the feature').waitFor();
  }
  await app.goto('/settings');
  const tabs = page.getByRole('tab');
  await expect
    .poll(() => tabs.allInnerTexts())
    .toEqual(['Keys', 'Roles', 'Configuration', 'Activity', 'Connect a client', 'Session']);
  await app.goto('/servers');
  await page.getByRole('button', { name: 'Add server' }).waitFor();
  expect(await page.getByRole('button', { name: /registry/ }).count()).toBe(0);
});
