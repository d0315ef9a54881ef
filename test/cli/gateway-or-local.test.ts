import { readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGateway, startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
let gateway: TestGateway;
let config: string;
beforeAll(async () => {
  config = await cli.config({
    gateway: { allowPrograms: true },
    toolbox: { approval: { ask: ['*add*'] } },
    servers: { files: fixture('legacy'), broken: { command: 'no-such-program-anywhere' } },
  });
  gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
  await waitFor(() => gateway.stderr().includes('✔ files') && gateway.stderr().includes('broken'), {
    what: 'the servers',
  });
  const added = await cli.run(['servers', 'add', 'extra', '--command', ...commandOf('legacy')]);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('Added: extra  connected') });
});
afterAll(() => gateway[Symbol.asyncDispose]());

function commandOf(name: string): string[] {
  const { command, args = [] } = fixture(name) as { command: string; args?: string[] };
  return [command, '--', ...args];
}

describe('where a gateway of the data directory runs, commands talk to it', () => {
  test.each([
    ['servers', ['servers'], 'extra'],
    ['tools', ['tools'], 'mcp_extra_echo'],
    ['call', ['call', 'extra/echo', 'text=hello'], 'hello'],
    ['check', ['check'], 'extra'],
    ['doctor', ['doctor'], 'server extra'],
    ['resources', ['resources'], 'SERVER'],
    ['prompts', ['prompts'], 'SERVER'],
    ['skills', ['skills'], ''],
    ['calls', ['calls'], 'mcp_extra_echo'],
    ['rules', ['rules'], ''],
    ['assistants', ['assistants'], ''],
  ])(
    'toolwharf %s knows what was added to the gateway, and its first line on stderr says so',
    async (_, args, text) => {
      const { stdout, source } = await cli.run(args);
      expect(source).toBe(`Using the gateway at ${gateway.url}`);
      expect(stdout).toContain(text);
    },
  );

  test('toolwharf tools with words lists the tools that match them, best first, also with a typo', async () => {
    const names = async (...words: string[]) =>
      (JSON.parse((await cli.run(['tools', '--json', ...words])).stdout) as { originalName: string }[]).map(
        ({ originalName }) => originalName,
      );
    expect((await names('retuns', 'text'))[0]).toBe('echo');
    expect((await names('ech', '--server', 'extra')).length).toBe(1);
    const { code, stdout, stderr } = await cli.run(['tools', 'zzzz']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain("No tool matches 'zzzz'.");
  });

  test('toolwharf pins names the server, and connect knows stored profiles and another data directory', async () => {
    expect((await cli.run(['pins'])).stdout).toMatch(/^files, extra +echo /m);
    await cli.run(['profiles', 'create', 'team']);
    const entry = await cli.run(
      ['connect', 'claude-desktop', '--profile', 'team', '--file', 'desktop.json', '--json'],
      {
        env: { TOOLWHARF_DATA_DIR: directory.file('data') },
      },
    );
    expect(JSON.parse(entry.stdout).entry.args).toEqual(
      expect.arrayContaining(['stdio', '--data-dir', directory.file('data'), '--profile', 'team']),
    );
  });

  test('connect sets up the gateway that it uses, not the configuration of the working directory', async () => {
    const entry = async (args: string[], env = {}) => {
      const { code, stdout, stderr, source } = await cli.run(
        ['connect', ...args, '--file', 'client.json', '--dry-run', '--json'],
        {
          env,
        },
      );
      if (code !== 0) throw new Error(stderr);
      expect(source).toBe(`Using the gateway at ${gateway.url}`);
      return { ...JSON.parse(stdout).entry, stderr };
    };
    await writeFile(directory.file('toolwharf.yaml'), 'gateway: { port: 1, requireAuthentication: true }\n');
    expect((await entry(['claude-desktop'])).args).toEqual(expect.arrayContaining(['stdio', '--config', config]));
    const cursor = await entry(['cursor']);
    expect(cursor.url).toBe(`${gateway.url}/mcp`);
    expect(cursor.stderr).not.toContain('requires an API key');
    await rm(directory.file('toolwharf.yaml'));

    const { stdout: key } = await cli.run(['keys', 'create', 'connected']);
    const remote = { TOOLWHARF_DATA_DIR: directory.file('elsewhere'), TOOLWHARF_API_KEY: key.trim() };
    expect((await entry(['cursor', '--url', gateway.url], remote)).url).toBe(`${gateway.url}/mcp`);
    const desktop = await entry(['claude-desktop', '--url', gateway.url], remote);
    expect(desktop.args).toEqual(expect.arrayContaining(['stdio', '--url', gateway.url]));
  });

  test('check and doctor report the configuration of the gateway, and why a changed file is not in use', async () => {
    const file = await cli.config({
      servers: { files: fixture('legacy') },
      profiles: { team: { servers: ['nothing'] } },
    });
    const data = { TOOLWHARF_DATA_DIR: directory.file('refusing') };
    await using refusing = await startGatewayHere(cli, data.TOOLWHARF_DATA_DIR, ['-c', file]);
    const good = await cli.run(['check'], { env: data });
    expect(good.stdout).toContain(`configuration  ${file}\n`);
    expect(good.stdout).toContain("'nothing'");
    await writeFile(file, '{ "servers": { "files": { "comand": "x" } } }');
    const isRefused = async () => 'refused' in ((await refusing.api('GET', '/api/config')).body as object);
    await waitFor(isRefused, { what: 'the refusal' });
    const { code, stdout } = await cli.run(['check'], { env: data });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('unknown key') });
    const { findings } = JSON.parse((await cli.run(['doctor', '--json'], { env: data })).stdout);
    expect(findings).toContainEqual({ subject: 'configuration', ok: true, message: file });
    expect(findings).toContainEqual(
      expect.objectContaining({ subject: 'configuration', ok: false, message: expect.stringContaining('unknown key') }),
    );
    const { stdout: key } = await cli.run(['keys', 'create', 'reader', '--right', 'read'], { env: data });
    const reader = { TOOLWHARF_DATA_DIR: directory.file('elsewhere'), TOOLWHARF_API_KEY: key.trim() };
    const hidden = await cli.run(['check', '--url', refusing.url], { env: reader });
    expect(hidden.stdout).toContain('configuration  not shown: only administrators');
  });

  test('--local uses the configuration in this process instead', async () => {
    const file = await cli.config({ servers: { files: fixture('legacy') } });
    for (const args of [
      ['tools', '--local', '-c', file],
      ['tools', '-c', file],
    ]) {
      const { code, stdout, source } = await cli.run(args);
      expect(code).toBe(0);
      expect(source).toBe(`Using ${file} without a gateway`);
      expect(stdout).toContain('mcp_files_echo');
      expect(stdout).not.toContain('extra');
    }
    const same = await cli.run(['tools', '-c', config]);
    expect(same.source).toBe(`Using the gateway at ${gateway.url}`);
    const refused = await cli.run(['keys', '--local']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('needs the gateway') });
  });

  test('--url uses another gateway, with the API key of TOOLWHARF_API_KEY', async () => {
    const elsewhere = { TOOLWHARF_DATA_DIR: directory.file('elsewhere') };
    const { stdout: key } = await cli.run(['keys', 'create', 'ci', '--right', 'read', '--right', 'call']);
    const env = { ...elsewhere, TOOLWHARF_API_KEY: key.trim() };
    const listed = await cli.run(['tools', '--url', gateway.url], { env });
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('mcp_extra_echo') });
    expect(listed.source).toBe(`Using the gateway at ${gateway.url}`);
    const called = await cli.run(['call', 'extra/echo', 'text=remote'], {
      env: { ...env, TOOLWHARF_URL: gateway.url },
    });
    expect(called).toMatchObject({ code: 0, stdout: 'remote\n' });
    const wrong = await cli.run(['tools', '--url', gateway.url], { env: { ...elsewhere, TOOLWHARF_API_KEY: 'tw_no' } });
    expect(wrong.code).toBe(5);
    expect(await cli.run(['tools', '--url', 'nonsense'])).toMatchObject({ code: 2 });
  });

  test('a failed server is a warning, and the result of a failed call has the same exit code as without a gateway', async () => {
    const listed = await cli.run(['tools']);
    expect(listed.stderr).toMatch(/^WARNING: Server 'broken' is unavailable: /m);
    expect(await cli.run(['call', 'extra/nothing'])).toMatchObject({ code: 2 });
    const unavailable = await cli.run(['call', 'broken/echo']);
    expect(unavailable).toMatchObject({ code: 4, stderr: expect.stringContaining('Not connected to MCP server') });
    const invalid = await cli.run(['call', 'extra/echo', '--args', '{"text":5}']);
    expect(invalid.code).toBe(2);
    expect(invalid.stderr).toContain('ARGUMENTS_INVALID');
    expect(invalid.stderr).toContain('Parameters:');
  });

  test('a call that needs approval waits, and says how to answer it where there is no terminal', async () => {
    const call = cli.open(['call', 'extra/add', 'a=1', 'b=2']);
    const hint = await waitFor(() => /approvals allow (\w+)/.exec(call.stderr()), { what: 'the hint' });
    const answered = await cli.run(['approvals', 'allow', hint?.[1] ?? '']);
    expect(answered.code).toBe(0);
    expect(await call.ended).toMatchObject({ code: 0, stdout: '3\n' });
    const denied = cli.open(['call', 'extra/add', 'a=1', 'b=2']);
    const next = await waitFor(() => /approvals allow (\w+)/.exec(denied.stderr()), { what: 'the hint' });
    await cli.run(['approvals', 'deny', next?.[1] ?? '']);
    expect(await denied.ended).toMatchObject({ code: 5, stdout: '' });
  });
});

test('the curl command that the app offers works on this machine, also if its variable for the key is not set', async () => {
  const body = JSON.stringify({ arguments: { text: 'pasted' } });
  const headers = { authorization: 'Bearer ', 'content-type': 'application/json' };
  const response = await fetch(`${gateway.url}/api/tools/mcp_files_echo/call`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({ text: 'pasted' });
  const wrong = await fetch(`${gateway.url}/api/tools`, { headers: { authorization: 'Bearer tw_wrong' } });
  expect(wrong.status).toBe(401);
});

test('the record of a crashed gateway does not mislead: commands run without it', async () => {
  const data = directory.file('crashed');
  const crashed = await startGateway(cli, data, ['-c', config]);
  const record = await readFile(`${data}/gateway.json`, 'utf8');
  await crashed.stop('SIGKILL');
  // Another process has the pid now, and another program the port: the running gateway of another data directory.
  await writeFile(
    `${data}/gateway.json`,
    JSON.stringify({ ...JSON.parse(record), url: gateway.url, pid: process.pid }),
  );
  const { code, source } = await cli.run(['servers', '--data-dir', data, '-c', config]);
  expect(code).toBe(0);
  expect(source).toBe(`Using ${config} without a gateway`);
});

test('tools of failed servers only: the command names the servers and fails', async () => {
  const file = await cli.config({ servers: { broken: { command: 'no-such-program-anywhere' } } });
  const { code, stdout, stderr } = await cli.run(['tools', '-c', file, '--local']);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain("WARNING: MCP server 'broken' is not available");
});
