import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type HttpServer, startHttp } from '../support/fixtures.ts';
import type { ServedApi } from '../support/serve-http-api.ts';
import { type PublishedServer, serveRegistry } from '../support/serve-registry.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { onServersPage, type ServersPage, textbox } from './support/servers-page.ts';

const key = 'PLANTED-KEY';
let remote: HttpServer;
let registry: ServedApi;
let app: TestApp;
let page: Page;
let on: ServersPage;

beforeAll(async () => {
  remote = await startHttp('modern-http', { REQUIRE_HEADER: `x-team-key: ${key}` });
  registry = await serveRegistry(published(remote.url));
  app = await startApp({ gateway: { registry: registry.url, allowPrograms: true } });
  page = app.page;
  on = onServersPage(page);
});

beforeEach(() => app.load('/servers'));

afterAll(async () => {
  await app?.close();
  await registry?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

test('a server is found in the registry, configured, tested and added', async () => {
  const found = await browse();
  await found.getByRole('searchbox', { name: 'Search' }).fill('weather');
  await found.getByText('1 server.', { exact: true }).waitFor();
  const entry = found.getByRole('listitem');
  for (const words of ['Weather', 'io.github.ada/weather', '1.2.0', 'Forecasts for any place'])
    await entry.getByText(words, { exact: true }).waitFor();
  const link = entry.getByRole('link', { name: /^Repository/ });
  expect(await link.getAttribute('href')).toBe('https://code.example/ada/weather');
  expect(await link.textContent()).toContain('(code.example)');
  await found.getByRole('button', { name: 'Select io.github.ada/weather' }).click();

  const chosen = on.dialog('Add from registry');
  await expect.poll(focused).toBe('Weather');
  const address = `${new URL(remote.url).origin}/{path}`;
  expect(await chosen.getByRole('radio', { name: `Connect to a URL ${address}`, exact: true }).isChecked()).toBe(true);
  expect(await chosen.getByRole('combobox', { name: 'path' }).inputValue()).toBe('mcp');
  await chosen.getByText('The key of your team', { exact: true }).waitFor();
  expect(await textbox(chosen, 'x-team-key').getAttribute('type')).toBe('password');
  await button(chosen, 'Continue').click();
  await expect.poll(() => on.errorOf(textbox(chosen, 'x-team-key'))).toContain('Is required');
  expect(await on.errorOf(chosen.getByRole('combobox', { name: 'path' }))).toBe('');
  await textbox(chosen, 'x-team-key').fill(key);
  await button(chosen, 'Continue').click();

  const form = on.dialog('Add server');
  expect(await textbox(form, 'Name').inputValue()).toBe('weather');
  expect(await textbox(form, 'Description').inputValue()).toBe('Forecasts for any place');
  expect(await form.getByLabel('URL').inputValue()).toBe(remote.url);
  expect(await form.getByLabel('Value of header 1').getAttribute('type')).toBe('password');
  await button(form, 'Test connection').click();
  await form.getByText('Connection succeeded', { exact: true }).waitFor();
  expect((await app.get('/api/servers')).body.servers).toEqual([]);
  await button(form, 'Save').click();
  const added = on.row('weather');
  for (const words of ['Connected', '20 tools']) await added.getByText(words).first().waitFor();
  await form.waitFor({ state: 'hidden' });
  await app.load('/servers/weather?tab=tools');
  await on.dialog('weather').getByText('Returns the text it was given').waitFor();
  expect(app.answers.join()).not.toContain(key);
});

test('going back keeps the values, and a taken name gets a number', async () => {
  const chosen = await choose('io.github.ada/weather');
  await textbox(chosen, 'x-team-key').fill('another');
  await chosen.getByRole('combobox', { name: 'path' }).selectOption('sse');
  await button(chosen, 'Continue').click();
  const form = on.dialog('Add server');
  expect(await textbox(form, 'Name').inputValue()).toBe('weather-2');
  expect(await form.getByLabel('URL').inputValue()).toMatch(/\/sse$/);
  await button(form, 'Cancel').click();
  expect(await textbox(chosen, 'x-team-key').inputValue()).toBe('another');

  await button(chosen, 'Back').click();
  await expect.poll(focused).toBe('Select io.github.ada/weather');
  await page.keyboard.press('Enter');
  expect(await textbox(chosen, 'x-team-key').inputValue()).toBe('another');
  await button(chosen, 'Back').click();
  await page.getByRole('button', { name: 'Select io.github.ada/old' }).click();
  await chosen.getByText('The registry advises against this server.').waitFor();
  await page.keyboard.press('Escape');
  await chosen.waitFor({ state: 'hidden' });
  await expect.poll(focused).toBe('Browse registry');
});

test('a local server is shown as its command and needs the admin token', async () => {
  const chosen = await choose('io.github.ada/weather');
  const command = 'npx -y @ada/weather@1.2.0 --units <units>';
  await chosen.getByRole('radio', { name: `Run a local command ${command}`, exact: true }).check();
  await chosen.getByText('runs it on its machine').waitFor();
  await chosen.getByText("packages of the kind 'mcpb' are not run").waitFor();
  await chosen.getByText('Sign in with the admin token to add a local server').waitFor();
  expect(await button(chosen, 'Continue').isDisabled()).toBe(true);
  await textbox(chosen, 'WEATHER_KEY').fill(key);
  await button(chosen, 'Sign in').click();
  await on.dialog('Sign in').getByLabel('API key or admin token').fill(app.adminToken);
  await button(on.dialog('Sign in'), 'Sign in').click();
  expect(await textbox(chosen, 'WEATHER_KEY').inputValue()).toBe(key);
  await button(chosen, 'Continue').click();

  const form = on.dialog('Add server');
  expect(await form.getByLabel('Command').inputValue()).toBe('npx');
  const args = await Promise.all([1, 2, 3, 4].map((at) => textbox(form, `Argument ${at}`).inputValue()));
  expect(args).toEqual(['-y', '@ada/weather@1.2.0', '--units', 'metric']);
  expect(await form.getByLabel('Name of variable 1').inputValue()).toBe('WEATHER_KEY');
  await page.keyboard.press('Escape');
  await chosen.waitFor();
});

test('risky settings of the publisher must be accepted', async () => {
  const found = await browse();
  await found.getByRole('searchbox', { name: 'Search' }).fill('tunnel');
  await found.getByRole('button', { name: 'Select io.github.ada/tunnel' }).click();
  const chosen = on.dialog('Add from registry');
  await chosen.getByText('The variable NODE_OPTIONS=--inspect can change which code runs.').waitFor();
  const signIn = button(chosen, 'Sign in');
  if (await signIn.isVisible()) {
    await signIn.click();
    await on.dialog('Sign in').getByLabel('API key or admin token').fill(app.adminToken);
    await button(on.dialog('Sign in'), 'Sign in').click();
  }
  expect(await button(chosen, 'Continue').isDisabled()).toBe(true);
  await chosen.getByRole('checkbox', { name: 'I have reviewed these settings and accept them' }).check();
  await expectAccessible(page);
  await button(chosen, 'Continue').click();
  const form = on.dialog('Add server');
  expect(await form.getByLabel('Name of variable 1').inputValue()).toBe('NODE_OPTIONS');
  await page.keyboard.press('Escape');
  await chosen.waitFor();
});

test('the list loads page by page and reports an empty search', async () => {
  const found = await browse();
  await found.getByText('The first 30 servers. There are more.').waitFor();
  expect(await found.getByRole('listitem').count()).toBe(30);
  await button(found, 'Load more').click();
  await found.getByText('45 servers.', { exact: true }).waitFor();
  await expect.poll(focused).toBe('Select io.example/notes-26');
  expect(await found.getByRole('listitem').count()).toBe(45);
  expect(await button(found, 'Load more').count()).toBe(0);
  await found.getByRole('searchbox', { name: 'Search' }).fill('no such thing');
  await found.getByText('No servers found', { exact: true }).waitFor();
  await expectAccessible(page);
});

test('a failing registry is reported and retried on demand', async () => {
  const { port } = new URL(registry.url);
  const found = await browse();
  await found.getByText('The first 30 servers. There are more.').waitFor();
  await registry[Symbol.asyncDispose]();
  await button(found, 'Load more').click();
  await found.getByText('Could not load more servers').waitFor();
  expect(await found.getByRole('listitem').count()).toBe(30);
  await found.getByRole('searchbox', { name: 'Search' }).fill('notes');
  const notice = found.getByRole('alert');
  await notice.getByText('Could not search the registry').waitFor();
  await notice.getByText(`The registry ${registry.url} can't be reached`).waitFor();
  expect(await found.getByRole('listitem').count()).toBe(0);
  await expectAccessible(page);
  registry = await serveRegistry(published(remote.url), { port: Number(port) });
  await button(notice, 'Try again').click();
  await found.getByText('io.example/notes-07', { exact: true }).waitFor();
});

test('text of publishers is shown as plain text', async () => {
  const found = await browse();
  await found.getByRole('searchbox', { name: 'Search' }).fill('evil');
  await found.getByText('1 server.', { exact: true }).waitFor();
  await found.getByText('<img src=x onerror="hurt=1">⟨U+202E⟩gnp.exe').waitFor();
  expect(await found.getByRole('link').count()).toBe(0);
  await found.getByRole('button', { name: 'Select evil.example/<b>' }).click();
  const chosen = on.dialog('Add from registry');
  await chosen.getByText('https://evil.example/⟨U+200B⟩{constructor}', { exact: true }).waitFor();
  expect(await chosen.locator('img, script, b').count()).toBe(0);
  await textbox(chosen, 'constructor').fill('mine');
  await button(chosen, 'Continue').click();
  const form = on.dialog('Add server');
  expect(await textbox(form, 'Name').inputValue()).toBe('b');
  expect(await form.getByLabel('URL').inputValue()).toContain('/\u200bmine');
  await page.keyboard.press('Escape');
  await button(chosen, 'Back').click();
  await found.getByRole('searchbox', { name: 'Search' }).fill('nowhere');
  await found.getByRole('button', { name: 'Select io.example/nowhere' }).click();
  await chosen.getByText('This server cannot be added').waitFor();
  expect(await button(chosen, 'Continue').count()).toBe(0);
  expect(await page.evaluate(() => 'hurt' in globalThis)).toBe(false);
});

test.each([
  [1280, 800],
  [360, 740],
])('everybody can use it in a window of %i × %i', async (width, height) => {
  await page.setViewportSize({ width, height });
  await app.load('/servers');
  const found = await browse();
  await found.getByText('There are more.').waitFor();
  await expectAccessible(page);
  await expectNoOverflow(found);
  await found.getByRole('button', { name: 'Select io.github.ada/weather' }).click();
  const chosen = on.dialog('Add from registry');
  await button(chosen, 'Continue').click();
  await expect.poll(() => on.errorOf(textbox(chosen, 'x-team-key'))).toContain('Is required');
  await expectAccessible(page);
  await expectNoOverflow(chosen);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
});

test('only administrators can browse the registry', async () => {
  const reader = await app.openPage(`/servers?registry#token=${await app.key(['read'])}`);
  await reader.getByRole('article', { name: 'weather' }).waitFor();
  expect(await reader.getByRole('button', { name: 'Browse registry' }).count()).toBe(0);
  expect(await reader.getByRole('dialog').count()).toBe(0);
});

async function browse(): Promise<Locator> {
  await page.getByRole('button', { name: 'Browse registry' }).click();
  return on.dialog('Browse registry');
}

async function choose(name: string): Promise<Locator> {
  const found = await browse();
  await found.getByRole('button', { name: `Select ${name}` }).click();
  return on.dialog('Add from registry');
}

function button(within: Locator, name: string): Locator {
  return within.getByRole('button', { name, exact: true });
}

/** The focused element, by its label or its text. */
async function focused(): Promise<string | null> {
  const element = page.locator(':focus');
  return (await element.getAttribute('aria-label')) ?? (await element.textContent());
}

async function expectNoOverflow(dialog: Locator): Promise<void> {
  const tooWide = await dialog.evaluate((element) => {
    const inside = [...element.querySelectorAll('div, form, fieldset, ul, li, label, section')];
    return inside.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.className);
  });
  expect(tooWide).toEqual([]);
}

/** The servers of the registry: one with all kinds of install options, odd ones, and many plain ones. */
function published(address: string): PublishedServer[] {
  const plain = Array.from({ length: 40 }, (_, at) => ({
    name: `io.example/notes-${String(at).padStart(2, '0')}`,
    version: '1.0.0',
    description: `Notes, number ${at}`,
    remotes: [{ type: 'streamable-http', url: `https://notes-${at}.example/mcp` }],
  }));
  return [
    {
      name: 'io.github.ada/weather',
      title: 'Weather',
      version: '1.2.0',
      description: 'Forecasts for any place',
      repository: { url: 'https://code.example/ada/weather', source: 'git' },
      websiteUrl: 'https://weather.example/',
      remotes: [
        {
          type: 'streamable-http',
          url: `${new URL(address).origin}/{path}`,
          variables: { path: { description: 'Where it answers', default: 'mcp', choices: ['mcp', 'sse'] } },
          headers: [
            {
              name: 'x-team-key',
              description: 'The key of your team',
              isRequired: true,
              isSecret: true,
              placeholder: 'twk_…',
            },
          ],
        },
      ],
      packages: [
        {
          registryType: 'npm',
          identifier: '@ada/weather',
          version: '1.2.0',
          transport: { type: 'stdio' },
          environmentVariables: [{ name: 'WEATHER_KEY', isRequired: true, isSecret: true }],
          packageArguments: [{ type: 'named', name: '--units', valueHint: 'units', default: 'metric' }],
        },
        { registryType: 'mcpb', identifier: 'https://code.example/weather.mcpb', transport: { type: 'stdio' } },
      ],
    },
    {
      name: 'io.github.ada/old',
      version: '0.1.0',
      status: 'deprecated',
      description: 'An older one. '.repeat(60),
      remotes: [{ type: 'sse', url: 'https://old.example/sse' }],
    },
    {
      name: 'evil.example/<b>',
      title: '<img src=x onerror="hurt=1">\u202egnp.exe',
      version: '1.0.0',
      description: '<script>hurt=1</script>',
      repository: { url: 'javascript:hurt=1' },
      websiteUrl: 'data:text/html,<script>hurt=1</script>',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://evil.example/\u200b{constructor}',
          variables: { constructor: { description: '<script>hurt=1</script>' } },
        },
      ],
    },
    { name: 'io.example/nowhere', version: '1.0.0', packages: [{ registryType: 'npm', identifier: '--yes' }] },
    ...plain,
    {
      name: 'io.github.ada/tunnel',
      version: '1.0.0',
      packages: [
        {
          registryType: 'npm',
          identifier: '@ada/tunnel',
          version: '1.0.0',
          transport: { type: 'stdio' },
          environmentVariables: [{ name: 'NODE_OPTIONS', value: '--inspect' }],
        },
      ],
    },
  ];
}
