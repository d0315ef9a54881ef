// `npm run screenshots`: takes the pictures in docs/images from the running app, with the default servers and no key.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { start } from '../bench/parts/processes.mjs';
import { openBrowser } from '../test/browser/support/browser.ts';
import { startIdentityProvider } from '../test/support/identity-provider.ts';
import { startPersonalServer } from '../test/support/personal-server.ts';
import { root } from './project.mjs';
import { animatePng, shrinkPng } from './shrink-png.mjs';

const emptyCall = { headers: { 'content-type': 'application/json' }, body: '{"arguments":{}}' };
const home = mkdtempSync(join(tmpdir(), 'toolwharf-screenshots-'));
const main = join(root, 'dist', 'cli', 'main.js');
// The commands on the pages are those of an installed program.
const bin = join(home, 'bin');
mkdirSync(bin);
symlinkSync(main, join(bin, 'toolwharf'));
const installed = { HOME: home, PATH: `${process.env.PATH}${delimiter}${bin}`, npm_lifecycle_event: undefined };
const serve = (name, ...args) =>
  start(main, {
    args: ['serve', '--port', '0', ...args],
    env: { ...installed, TOOLWHARF_DATA_DIR: join(home, name) },
  });
const gateway = await serve('toolwharf');
const browser = await openBrowser();
const goto = (page, path, { address } = gateway) => page.goto(new URL(path, address).href);
const take = async (page, name) =>
  writeFileSync(join(root, 'docs', 'images', `${name}.png`), shrinkPng(await page.screenshot()));
try {
  const light = await open('light');
  await chat(light);
  await look(light, '/', 'overview', 'Calls over time');
  await tools(light);
  const dark = await open('dark');
  await look(dark, '/calls', 'calls-dark', 'list_allowed_directories');
  await app(light);
  await servers(light);
  await accounts(light);
  await task(light);
  await users();
} finally {
  await browser.close();
  await gateway.stop();
  rmSync(home, { recursive: true, force: true });
}

async function open(colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme,
    reducedMotion: 'reduce',
  });
  return context.newPage();
}

async function look(page, path, name, text) {
  await goto(page, path);
  await page.getByText(text).first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await take(page, name);
}

/** The first two minutes of a newcomer, also as an animated picture. */
async function chat(page) {
  const shown = [];
  const record = async (ms) => shown.push({ png: await page.screenshot(), ms });
  await goto(page, '/');
  await page.getByRole('button', { name: 'Chat with the demo assistant' }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  await record(2_000);
  await goto(page, '/chat');
  await page.getByRole('button', { name: /folders/i }).waitFor();
  await record(1_500);
  await page.getByRole('button', { name: /folders/i }).click();
  const allow = page.getByRole('button', { name: /allow once/i });
  await allow.waitFor();
  await take(page, 'approval');
  await record(3_000);
  await allow.click();
  await page.getByRole('button', { name: /retry/i }).waitFor();
  await take(page, 'chat');
  await record(3_000);
  await goto(page, '/calls');
  await page.getByText('list_allowed_directories').first().click();
  await page.getByText('Allowed directories:').first().waitFor();
  await record(3_000);
  writeFileSync(join(root, 'docs', 'images', 'tour.png'), animatePng(shown));
}

async function tools(page) {
  await goto(page, '/tools');
  await page.getByText('list_allowed_directories').first().click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Allowed directories:').first().waitFor();
  await take(page, 'tools');
}

/** A call whose server runs it as a task. */
async function task(page) {
  const config = join(home, 'tasks.json');
  const path = join(home, 'stage');
  const server = { command: 'node', args: [join(root, 'test', 'fixtures', 'servers', 'tasks.mjs')] };
  writeFileSync(config, JSON.stringify({ servers: { reports: server } }));
  const tasks = await serve('tasks', '--config', config);
  const arguments_ = JSON.stringify({ arguments: { path } });
  const call = fetch(`${tasks.address}/api/tools/mcp_reports_stages/call`, {
    ...emptyCall,
    method: 'POST',
    body: arguments_,
  });
  await goto(page, '/calls', tasks);
  await page.getByRole('list', { name: 'Calls' }).getByRole('link', { name: 'stages' }).click();
  await page.getByText('The first stage').waitFor();
  await take(page, 'task');
  for (const stage of ['first', 'second']) writeFileSync(`${path}-${stage}`, '');
  await call;
  await tasks.stop();
}

/** Servers of all states, a changed tool, a profile and a skill: the pages that guides describe. */
async function servers(page) {
  // Short commands, which are on the page.
  symlinkSync(join(root, 'test', 'fixtures', 'servers'), join(home, 'servers'));
  const fixture = (name) => ({ command: 'node', args: [`servers/${name}.mjs`], cwd: home });
  const skill = join(home, 'skills', 'release-notes');
  mkdirSync(skill, { recursive: true });
  const frontmatter = 'name: release-notes\ndescription: How we write release notes';
  writeFileSync(join(skill, 'SKILL.md'), `---\n${frontmatter}\n---\n\nOne sentence for each change, for users.\n`);
  const config = join(home, 'servers.json');
  const content = {
    servers: {
      notes: fixture('legacy'),
      tickets: { ...fixture('changing'), onChange: 'quarantine' },
      search: { url: 'http://127.0.0.1:9/mcp', description: 'Search of the intranet' },
      archive: { ...fixture('modern'), enabled: false },
    },
    profiles: {
      support: { description: 'For the support bot', servers: ['notes'], approval: { mode: 'always-ask' } },
    },
    skills: join(home, 'skills'),
  };
  writeFileSync(config, JSON.stringify(content));
  const other = await serve('pages', '--config', config);
  try {
    const call = (tool) => fetch(new URL(`/api/tools/${tool}/call`, other.address), { method: 'POST', ...emptyCall });
    await call('mcp_tickets_mutate');
    await goto(page, '/servers', other);
    await page.getByText('Search of the intranet').first().waitFor();
    await take(page, 'servers');
    await goto(page, '/profiles', other);
    await page.getByText('For the support bot').first().waitFor();
    await take(page, 'profiles');
    await goto(page, '/servers/tickets', other);
    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page
      .getByRole('button', { name: /accept change/i })
      .first()
      .scrollIntoViewIfNeeded();
    await take(page, 'changed-tool');
    await goto(page, '/tools?show=skills', other);
    await page.getByText('How we write release notes').first().click();
    await page.getByText('One sentence for each change').first().waitFor();
    await take(page, 'skills');
  } finally {
    await other.stop();
  }
}

/** An app of a server, after a call of the app. */
async function app(page) {
  const clock = {
    command: process.execPath,
    args: [join(root, 'test/fixtures/servers/apps.mjs')],
    env: { NAME: 'Clock' },
  };
  const config = join(home, 'apps.json');
  writeFileSync(config, JSON.stringify({ servers: { clock } }));
  const other = await serve('apps', '--config', config);
  try {
    await goto(page, '/tools/mcp_clock_show_clock', other);
    await page.getByRole('textbox', { name: /city/ }).fill('Rome');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('It is noon in Rome').waitFor();
    await frame.getByRole('button', { name: 'Tick' }).click();
    await frame.getByText('Clock tick 1').waitFor();
    await frame.getByRole('heading').scrollIntoViewIfNeeded();
    await take(page, 'mcp-apps');
  } finally {
    await other.stop();
  }
}

/** The accounts of a person at two servers. */
async function accounts(page) {
  await using people = await startPersonalServer({ home: 'Ada', work: 'Ada at work' });
  const personal = (description) => ({
    url: people.url,
    authentication: { type: 'bearer', token: '${account:token}' },
    credentials: 'per-user',
    description,
  });
  const servers = { notes: personal('Notes of each person'), tickets: personal('Issues and pull requests') };
  const config = join(home, 'accounts.json');
  writeFileSync(config, JSON.stringify({ servers }));
  const other = await serve('accounts', '--config', config);
  try {
    for (const label of ['home', 'work']) {
      await fetch(new URL('/api/accounts', other.address), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ server: 'notes', label, values: { token: label } }),
      });
    }
    await goto(page, '/accounts', other);
    await page.getByText('work').first().waitFor();
    await take(page, 'accounts');
  } finally {
    await other.stop();
  }
}

/** Three people who have signed in, one of them disabled. */
async function users() {
  await using provider = await startIdentityProvider();
  const people = {
    max: { name: 'Max Planck', email: 'max@example.com', groups: ['staff', 'finance'] },
    ann: { name: 'Ann', email: 'ann@example.com', groups: ['approvers'] },
    ada: { name: 'Ada Lovelace', email: 'ada@example.com', groups: ['admins'] },
  };
  const roles = { admin: ['admins'], approver: ['approvers'], member: ['staff'] };
  const config = join(home, 'users.json');
  const oidc = { ...provider.oidc, name: 'Example ID', roles };
  writeFileSync(config, JSON.stringify({ servers: {}, gateway: { oidc } }));
  const other = await serve('users', '--config', config);
  try {
    let page;
    for (const [login, claims] of Object.entries(people)) {
      await provider.setPerson(login, claims);
      page = await open('light');
      await goto(page, '/settings/session', other);
      await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
      await page.getByRole('button', { name: login }).click();
      await page.getByRole('heading', { name: 'Current session' }).waitFor();
    }
    await goto(page, '/settings/users', other);
    await page.getByRole('button', { name: 'Disable Ann' }).click();
    await page.getByRole('button', { name: 'Enable Ann' }).waitFor();
    await page.getByRole('heading', { name: 'Settings' }).hover();
    await take(page, 'users');
  } finally {
    await other.stop();
  }
}
