import { writeFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { stdioHere } from '../support/stdio-here.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

const good = `
servers: {}
policy:
  rules:
    - id: mail-outside
      when: call.server == 'mail' && !call.args.to.endsWith('@example.com')
      then: ask
      examples:
        - { call: { server: mail, args: { to: eve@evil.example } }, applies: true }
        - { call: { server: mail, args: { to: ada@example.com } }, applies: false }
    - id: at-night
      when: now.getHours('Europe/Berlin') < 6 && !('admin' in person.roles)
      then: deny
      mode: shadow
      profiles: [team]
      examples:
        - { profile: team, now: '2026-01-31T02:00:00Z', applies: true }
        - { profile: team, now: '2026-01-31T02:00:00Z', person: { roles: [admin] }, applies: false }
        - { profile: other, now: '2026-01-31T02:00:00Z', applies: false }
`;

describe('toolwharf policy check', () => {
  test('the command lists the rules of a file that compile', async () => {
    const file = directory.file('good.yaml');
    await writeFile(file, good);
    const { code, stdout, stderr } = await cli.run(['policy', 'check', file]);
    expect(stderr).toBe('Not in this file: profile team\n');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('mail-outside') });
    const json = await cli.run(['policy', 'check', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id: 'mail-outside', then: 'ask', mode: 'enforce', onFailure: 'ask' },
      { id: 'at-night', then: 'deny', mode: 'shadow', profiles: ['team'] },
    ]);
  });

  test('the command reports file, line, column and the nearest name of every rule that does not', async () => {
    const file = directory.file('broken.yaml');
    await writeFile(file, good.replace('call.server ==', 'call.sever ==').replace('now.getHours', 'now.getHour'));
    const { code, stderr } = await cli.run(['policy', 'check', file]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      'broken.yaml:6:18  policy.rules[0].when  unknown variable call.sever; did you mean call.server?',
    );
    expect(stderr).toContain(
      'broken.yaml:12:17  policy.rules[1].when  unknown function getHour; did you mean getHours?',
    );
  });
});

describe('toolwharf policy test', () => {
  test('the command tries every rule with the examples beside it', async () => {
    const file = directory.file('good.yaml');
    await writeFile(file, good);
    const { code, stdout } = await cli.run(['policy', 'test', file]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '✔ mail-outside  2 examples\n✔ at-night  3 examples\nAll 5 examples have the stated outcome\n',
    });
  });

  test('the command fails for an example with another outcome, and for one without a value', async () => {
    const file = directory.file('wrong.yaml');
    const wrong = good
      .replace('to: ada@example.com } }, applies: false', 'to: ada@example.com } }, applies: true')
      .replace('args: { to: eve@evil.example }', 'args: {}');
    await writeFile(file, wrong);
    const { code, stdout } = await cli.run(['policy', 'test', file]);
    expect(code).toBe(1);
    expect(stdout).toContain('example 1: the condition has no value: there is no call.args.to');
    expect(stdout).toContain('example 2: the rule does not apply, and should');
    expect(stdout).toContain('2 examples of 5 failed');
    const json = JSON.parse((await cli.run(['policy', 'test', file, '--json'])).stdout);
    expect(json).toMatchObject({
      ok: false,
      rules: [{ id: 'mail-outside', failed: [{ number: 1 }, { number: 2 }] }, {}],
    });
  });

  test('a misspelt member of an example is reported, so that no example passes by accident', async () => {
    const file = directory.file('misspelt.yaml');
    await writeFile(file, good.replace('{ server: mail, args:', '{ server: mail, arg:'));
    const { code, stderr } = await cli.run(['policy', 'test', file]);
    expect(code).toBe(3);
    expect(stderr).toContain("unknown key, found 'arg'");
  });
});

test('a command without a database refuses a configuration with budgets, and policy check compiles them', async () => {
  const budget = { id: 'calls', window: '1h', max: 1, then: 'deny' };
  const settings = (given: object) =>
    cli.config({ servers: { files: fixture('legacy') }, policy: { budgets: [given] } });
  const config = await settings(budget);
  const call = await cli.run(['-c', config, 'call', 'files/echo', 'text=x', '--local']);
  expect(call).toMatchObject({ code: 3, stderr: expect.stringContaining("nothing applies 'policy.budgets' here") });
  expect(await cli.run(['policy', 'check', config])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('1 budget: calls'),
  });
  const broken = await cli.run(['policy', 'check', await settings({ ...budget, when: 'cal.tool == 1' })]);
  expect(broken).toMatchObject({ code: 3, stderr: expect.stringContaining('did you mean call?') });
});

test('rules judge the calls of commands without a gateway, and of clients of toolwharf stdio', async () => {
  const servers = { files: fixture('legacy') };
  const rule = { id: 'no-evil', when: "call.tool == 'echo' && call.args.text == 'evil'", then: 'deny' };
  const config = await cli.config({ servers, policy: { rules: [rule] } });
  const call = (text: string) => cli.run(['-c', config, 'call', 'files/echo', `text=${text}`, '--local']);
  expect(await call('good')).toMatchObject({ code: 0, stdout: 'good\n' });
  expect(await call('evil')).toMatchObject({ code: 5, stderr: expect.stringContaining("the rule 'no-evil' applies") });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(stdioHere(cli, ['--local', '-c', config]));
  const text = async (given: string) =>
    JSON.stringify(await client.callTool({ name: 'files__echo', arguments: { text: given } }));
  expect(await text('good')).toContain('"good"');
  expect(await text('evil')).toContain("the rule 'no-evil' applies");
  await client.close();
});

describe('the policy commands of a gateway', () => {
  const data = directory.file('data');
  const settings = {
    servers: { files: fixture('legacy') },
    policy: {
      rules: [
        { id: 'no-evil', when: "call.tool == 'echo' && call.args.text == 'evil'", then: 'deny', reason: 'No evil' },
        { id: 'ask-b', when: "call.tool == 'echo' && call.args.text == 'b'", then: 'ask' },
        { id: 'trial', when: "call.tool == 'echo'", then: 'ask', mode: 'shadow' },
      ],
      budgets: [
        { id: 'echoes', per: 'tool', tool: 'files/echo', window: '1h', max: 5.5, then: 'deny' },
        { id: 'unused', sum: 'call.args.amount', tool: 'pay/*', window: '24h', max: 100, then: 'ask' },
      ],
    },
  };
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGatewayHere(cli, data, ['-c', await cli.config(settings)]);
    await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
    for (const text of ['a', 'evil'])
      await gateway.api('POST', '/api/tools/mcp_files_echo/call', { arguments: { text } });
    const asked = gateway.api('POST', '/api/tools/mcp_files_echo/call', { arguments: { text: 'b' } });
    const approval = await waitFor(
      async () => {
        const { stdout } = await cli.run(['approvals', '--json']);
        return (JSON.parse(stdout) as { id: string; reason: string }[])[0];
      },
      { what: 'the approval' },
    );
    expect(approval?.reason).toContain("rule 'ask-b'");
    await cli.run(['approvals', 'allow', String(approval?.id)]);
    await asked;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const calls = async () =>
    JSON.parse((await cli.run(['calls', '--json'])).stdout) as { id: string; arguments: { text: string } }[];
  const idOf = async (text: string) => String((await calls()).find((call) => call.arguments.text === text)?.id);

  async function replay(rules: readonly object[], ...options: readonly string[]) {
    const file = directory.file('changed.json');
    await writeFile(file, JSON.stringify({ servers: {}, policy: { rules } }));
    return cli.run(['policy', 'replay', file, ...options]);
  }

  test('toolwharf policy budgets lists what was used and is left', async () => {
    const { code, stdout } = await cli.run(['policy', 'budgets']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^echoes +mcp_files_echo +2 +3\.5 +5\.5 +calls +1h +deny +enforce$/m);
    expect(stdout).toMatch(/^unused +all +0 +100 +100 +call\.args\.amount +1d +ask +enforce$/m);
    const json = JSON.parse((await cli.run(['policy', 'budgets', '--json'])).stdout);
    expect(json).toMatchObject([
      { id: 'echoes', uses: [{ used: 2, left: 3.5 }] },
      { id: 'unused', uses: [] },
    ]);
  });

  test('toolwharf calls show names the rules that decided', async () => {
    const { stdout } = await cli.run(['calls', 'show', await idOf('evil')]);
    expect(stdout).toMatch(/^ {2}policy +deny by no-evil, ask by trial \(shadow\)$/m);
  });

  test('toolwharf policy explain prints which lines decide a call, with their values', async () => {
    const { code, stdout } = await cli.run(['policy', 'explain', await idOf('evil')]);
    expect(code).toBe(0);
    expect(stdout).toContain('mcp_files_echo  now: deny');
    expect(stdout).toContain('then  deny by no-evil, ask by trial (shadow)');
    expect(stdout).toMatch(/^→ deny +rule no-evil /m);
    expect(stdout).toContain('call.args.text = "evil"');
    expect(stdout).toMatch(/^ {2}ask +rule trial \(shadow\)/m);
    const json = JSON.parse((await cli.run(['policy', 'explain', await idOf('a'), '--json'])).stdout);
    expect(json.decision).toBe('allow');
  });

  test('toolwharf policy replay prints what changed rules decide otherwise, and fails if people had allowed it', async () => {
    const same = await replay(settings.policy.rules);
    expect(same).toMatchObject({ code: 0, stdout: '3 calls judged, 0 decided otherwise\n' });
    const deniesA = [...settings.policy.rules, { id: 'no-a', when: "call.args.text == 'a'", then: 'deny' }];
    const harmless = await replay(deniesA, '--since', '1d');
    expect(harmless.code).toBe(0);
    expect(harmless.stdout).toMatch(/mcp_files_echo {2}Administrator {2}allowed → denied {2}no-a$/m);
    expect((await replay(deniesA, '--fail-on', 'ran')).code).toBe(1);
    const deniesAll = await replay([{ id: 'all', when: "call.tool == 'echo'", then: 'deny' }]);
    expect(deniesAll.code).toBe(1);
    expect(deniesAll.stdout).toMatch(/asked, allowed by Administrator \(admin\) → denied {2}all$/m);
    expect(deniesAll.stdout).toContain('1 call fails --fail-on approved');
    const json = await replay([], '--json', '--fail-on', 'any');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ...{ ok: false, judged: 3, unknown: 0, failing: 2 },
      flips: [
        { before: 'denied', after: 'allowed' },
        { before: 'asked', after: 'allowed', person: 'allow' },
      ],
    });
    expect((await replay([{ id: 'a', when: 'nonsense', then: 'ask' }])).code).toBe(3);
    expect((await replay([], '--since', '2030-01-01T00:00:00Z')).stdout).toContain('0 calls judged');
  });

  test('toolwharf policy set stores and changes a rule, rules lists it, and remove deletes it', async () => {
    const call = async () =>
      (await gateway.api('POST', '/api/tools/mcp_files_add/call', { arguments: { a: 1, b: 2 } })).status;
    const when = "call.tool == 'add' && call.args.a == 1";
    const set = (...options: readonly string[]) => cli.run(['policy', 'set', 'no ones/twos', ...options]);
    expect(await set('--when', when, '--then', 'deny', '--mode', 'shadow')).toMatchObject({
      ...{ code: 0, stdout: 'Saved: no ones/twos  deny, shadow\n' },
    });
    expect(await call()).toBe(200);
    expect(await set('--mode', 'enforce')).toMatchObject({ stdout: 'Saved: no ones/twos  deny, enforce\n' });
    expect(await call()).toBe(403);
    const { stdout } = await cli.run(['policy', 'rules']);
    expect(stdout).toMatch(/^no ones\/twos +store +deny +enforce +1 +call\.tool == 'add'/m);
    expect(stdout).toMatch(/^no-evil +file +deny/m);
    expect(await set('--when', 'cal.tool == 1')).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining('line 1, column 1: unknown variable cal') },
    });
    expect(await cli.run(['policy', 'remove', 'no ones/twos'])).toMatchObject({ code: 0 });
    expect(await call()).toBe(200);
    expect((await cli.run(['policy', 'remove', 'no-evil'])).stderr).toContain('can only be changed there');
  });
});
