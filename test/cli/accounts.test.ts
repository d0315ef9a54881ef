import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { atTerminal } from '../support/at-terminal.ts';
import { type PersonalServer, startPersonalServer } from '../support/personal-server.ts';

let personal: PersonalServer;
let api: TestApi;
let env: Record<string, string>;

beforeAll(async () => {
  personal = await startPersonalServer({ 'ada-TOKEN': 'Ada' });
  api = await startApi({
    servers: {
      notes: {
        url: personal.url,
        authentication: { type: 'bearer', token: '${account:token}' },
        credentials: 'per-user',
      },
      tickets: { url: personal.url, authentication: { type: 'oauth' }, credentials: 'per-user' },
    },
  });
  env = { TOOLWHARF_URL: api.url, TOOLWHARF_API_KEY: await api.key(['read', 'call']), NOTES_TOKEN: 'ada-TOKEN' };
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await personal[Symbol.asyncDispose]();
});

test('toolwharf accounts connects an account with a hidden prompt, lists it and disconnects it', async () => {
  const terminal = atTerminal(env);
  const running = terminal.run('accounts', 'connect', 'notes', '--label', 'home');
  await terminal.answer(/token of your account at notes/, 'ada-TOKEN');
  expect(await running).toBe(0);
  expect(terminal.screen()).toContain('Connected: home at notes');
  expect(terminal.screen()).not.toContain('ada-TOKEN');

  expect(await terminal.run('accounts')).toBe(0);
  expect(terminal.stdout()).toMatch(/notes +home \(default\) +connected/);
  expect(terminal.screen()).toContain('No account at tickets');
  const { body } = await api.get('/api/accounts', { key: env.TOOLWHARF_API_KEY });
  expect(await terminal.run('accounts', 'disconnect', body.accounts[0].id)).toBe(0);
  expect(terminal.screen()).toContain('Disconnected: home at notes');
});

test('toolwharf accounts takes values from variables, and names the page where a person signs in with OAuth', async () => {
  const terminal = atTerminal(env, { isTTY: false });
  expect(await terminal.run('accounts', 'connect', 'notes', '--value-env', 'token=NOTES_TOKEN', '--json')).toBe(0);
  const connected = JSON.parse(terminal.stdout());
  expect(connected).toMatchObject({ server: 'notes', label: 'Account', state: 'connected' });
  const gone = atTerminal(env, { isTTY: false });
  expect(await gone.run('accounts', 'disconnect', connected.id, '--json')).toBe(0);
  expect(JSON.parse(gone.stdout())).toMatchObject({ id: connected.id });
  const page = atTerminal(env, { isTTY: false });
  expect(await page.run('accounts', 'connect', 'tickets')).toBe(0);
  expect(page.stdout()).toBe(`${api.url}/accounts?server=tickets\n`);
  expect(await page.run('accounts', 'connect', 'notes')).toBe(2);
  expect(page.screen()).toContain('--value-env token=VARIABLE');
  expect(await page.run('accounts', 'connect', 'nothing')).toBe(2);
  expect(await page.run('accounts', 'list', '--all')).not.toBe(0);
});

test('toolwharf doctor says how to connect an account, in lines that fit the terminal', async () => {
  const terminal = atTerminal({ ...env, COLUMNS: '60', NO_COLOR: '1' });
  expect(await terminal.run('doctor')).toBe(1);
  expect(terminal.stdout()).toContain('→ connect an account with\n    `toolwharf accounts connect tickets`\n');
  expect(terminal.stdout()).toMatch(/^✖ server tickets {2}.{1,42}\n {4}\S/m);
});
