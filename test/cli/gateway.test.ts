import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { petsDocument, serveHttpApi } from '../support/serve-http-api.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const data = directory.file('data');
let gateway: TestGateway;
beforeAll(async () => {
  const config = await cli.config({
    gateway: { allowPrograms: true },
    servers: { files: fixture('legacy'), moving: fixture('changing') },
    profiles: { team: { servers: ['files'] } },
  });
  gateway = await startGatewayHere(cli, data, ['-c', config]);
  await waitFor(() => ['✔ files', '✔ moving'].every((line) => gateway.stderr().includes(line)), {
    what: 'the servers',
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const json = async (...args: string[]) => JSON.parse((await cli.run([...args, '--json'])).stdout);

describe('commands for a running gateway', () => {
  test.each([
    ['approvals'],
    ['approvals', 'allow', 'x'],
    ['rules'],
    ['keys'],
    ['profiles'],
    ['scripts'],
    ['keys', 'create', 'x'],
    ['pins', 'changes'],
    ['servers', 'remove', 'x'],
    ['logs', 'x'],
    ['inspect', 'x'],
  ])('%j %s say how to start one where none runs', async (...args) => {
    const { code, stdout, stderr } = await cli.run([...args, '--data-dir', directory.file('empty')]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('No gateway is running');
    expect(stderr).toContain(`start one with \`toolwharf --data-dir ${directory.file('empty')} serve\``);
  });

  test('connect and doctor find the address of the running gateway', async () => {
    await cli.run(['connect', 'cursor', '--file', 'mcp.json']);
    expect(await readFile(directory.file('mcp.json'), 'utf8')).toContain(`${gateway.url}/mcp`);
    const { findings } = await json('doctor', '-c', await cli.config({ servers: {} }));
    expect(findings).toContainEqual({
      subject: 'gateway',
      ok: true,
      message: `running at ${gateway.url} (process ${gateway.pid})`,
    });
  });
});

describe('toolwharf profiles', () => {
  test('toolwharf tools says that MCP clients of the default profile list the tools for searching', async () => {
    expect((await cli.run(['tools'])).stderr).not.toContain('MCP clients list');
    const auto = ['--expose', 'auto', '--expose-budget', '1', '--always-list', 's/echo'];
    await cli.run(['profiles', 'edit', 'default', ...auto]);
    expect((await cli.run(['profiles'])).stdout).toMatch(/^default +store +all +auto /m);
    expect((await cli.run(['tools'])).stderr).toMatch(
      /MCP clients list the tools for searching: about \d+ tokens instead of \d+\./,
    );
    await cli.run(['profiles', 'remove', 'default']);
    expect((await cli.run(['tools'])).stderr).not.toContain('MCP clients list');
  });

  test('toolwharf profiles creates, shows, changes and removes a stored profile', async () => {
    const made = await cli.run(['profiles', 'create', 'mine', '--allow', 's/echo', '--approval', 'always-ask']);
    expect(made).toMatchObject({ code: 0, stdout: `Created: mine, served at ${gateway.url}/mcp/mine\n` });
    const edited = await cli.run(['profiles', 'edit', 'mine', '--description', 'For me', '--approval', 'auto']);
    expect(edited.code).toBe(0);
    const shown = JSON.parse((await cli.run(['profiles', 'show', 'mine'])).stdout);
    expect(shown).toEqual({ description: 'For me', allow: ['s/echo'], approval: { mode: 'auto' } });
    expect((await cli.run(['profiles', 'list'])).stdout).toMatch(
      /mine +store +all +all +auto +0 +http:\S+\/mcp\/mine$/m,
    );
    expect((await cli.run(['profiles', 'create', 'default'])).stderr).toContain("There is a profile named 'default'");
    expect(await cli.run(['profiles', 'remove', 'mine'])).toMatchObject({ code: 0, stdout: 'Removed: mine\n' });
  });
});

describe('toolwharf scripts', () => {
  test('toolwharf scripts saves a file as a tool, replaces, shows and removes it', async () => {
    expect((await cli.run(['scripts'])).stderr).toBe('No scripts. Save one with `toolwharf scripts save NAME FILE`.\n');
    await writeFile(directory.file('greet.ts'), '`Hello ${input.who}`\n');
    const schema = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] };
    await writeFile(directory.file('input.yaml'), JSON.stringify(schema));
    const save = ['scripts', 'save', 'greet', directory.file('greet.ts')];
    const saved = await cli.run([...save, '--description', 'Greets', '--input', directory.file('input.yaml')]);
    expect(saved).toMatchObject({ code: 0, stdout: 'Saved: greet, called as greet\n' });
    expect((await cli.run(['call', 'greet', 'who=Ada'])).stdout).toBe('Hello Ada\n');
    await writeFile(directory.file('greet.ts'), '`Good morning ${input.who}`');
    expect((await cli.run([...save, '--timeout', '10s'])).code).toBe(0);
    expect((await cli.run(['call', 'greet', 'who=Ada'])).stdout).toBe('Good morning Ada\n');
    expect((await cli.run(['scripts', 'show', 'greet'])).stdout).toBe('`Good morning ${input.who}`\n');
    const shown = JSON.parse((await cli.run(['scripts', 'show', 'greet', '--json'])).stdout);
    expect(shown).toMatchObject({ description: 'Greets', input: schema, timeoutMs: 10_000 });
    expect((await cli.run(['scripts', 'list'])).stdout).toMatch(/^greet +store +greet +Greets$/m);
    expect(await cli.run(['scripts', 'remove', 'greet'])).toMatchObject({ code: 0, stdout: 'Removed: greet\n' });
    expect((await cli.run(['call', 'greet', 'who=Ada'])).code).not.toBe(0);
  });
});

describe('toolwharf keys', () => {
  test('toolwharf keys creates a key, shows it once and revokes it', async () => {
    const made = await cli.run(['keys', 'create', 'ci', '--profile', 'team', '--right', 'call', '--right', 'read']);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tw_[\w-]{43}\n$/) });
    const key = made.stdout.trim();
    const use = async () =>
      (await fetch(`${gateway.url}/api/tools`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await use()).toBe(200);

    const [listed] = (await json('keys')) as { id: string }[];
    expect(listed).toMatchObject({ name: 'ci', profile: 'team', rights: ['call', 'read'] });
    const table = await cli.run(['keys', 'list']);
    expect(table.stdout).toMatch(
      /^\w{8} {2}ci {4}call, read {2}team {5}(?:just now|\d+ s ago) +never +(?:just now|\d+ s ago)$/m,
    );
    expect(table.stdout + JSON.stringify(listed)).not.toContain(key);
    expect(await cli.run(['keys', 'revoke', listed?.id.slice(0, 6) ?? ''])).toMatchObject({
      code: 0,
      stdout: 'Revoked: ci\n',
    });
    expect(await use()).toBe(401);
    expect((await cli.run(['keys'])).stdout).toMatch(/revoked/);
  });

  test.each([
    [['keys', 'create', 'x', '--profile', 'nobody'], "there is no profile 'nobody'"],
    [['keys', 'create', 'x', '--right', 'fly'], 'body.rights'],
    [['keys', 'revoke', 'none'], "There is no key 'none'"],
  ])('the arguments %j are wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await cli.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('toolwharf pins', () => {
  test('toolwharf pins shows a changed definition and accepts exactly that one', async () => {
    expect((await cli.run(['pins'])).stdout).toMatch(/^moving +target +[0-9a-f]{12} {2}/m);
    expect(await cli.run(['pins', 'changes'])).toMatchObject({
      stdout: '',
      stderr: 'No tool has changed since it was accepted, and no new tool waits.\n',
    });
    await gateway.api('POST', '/api/tools/mcp_moving_mutate/call', {});
    const changed = await waitFor(async () => {
      const { stdout } = await cli.run(['pins', 'changes']);
      return stdout.includes('mcp_moving_target') && stdout;
    });
    expect(changed).toMatch(/^mcp_moving_target {2}moving\/target {2}asks for approval until accepted$/m);
    expect(changed).toMatch(/- Target, version 1\n {6}\+ Target, version 2/);
    const accepted = await cli.run(['pins', 'accept', 'mcp_moving_target']);
    expect(accepted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\+ Target, version 2[\s\S]*Accepted: mcp_moving_target\n$/),
    });
    expect(await json('pins', 'changes')).toEqual([]);
    expect(await cli.run(['pins', 'accept', 'mcp_moving_target'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no change to accept'),
    });
    expect(await cli.run(['pins', 'accept', 'nothing'])).toMatchObject({ code: 2 });
  });

  test('toolwharf pins shows the definition of a new tool that a profile hides, and accepts it', async () => {
    const { command, args, env } = fixture('growing');
    await cli.run(['profiles', 'create', 'careful', '--new-tools', 'hide']);
    await gateway.api('POST', '/api/servers', { name: 'growing', command, args, env });
    await gateway.api('POST', '/api/tools/mcp_growing_grow/call', { arguments: { name: 'late' } });
    const waiting = await waitFor(async () => {
      const { stdout } = await cli.run(['pins', 'changes']);
      return stdout.includes('mcp_growing_late') && stdout;
    });
    expect(waiting).toMatch(/^mcp_growing_late {2}growing\/late {2}new, hidden until accepted$/m);
    expect(waiting).toMatch(/\/description {2}added\n {6}\+ Was added/);
    expect((await cli.run(['pins'])).stdout).toMatch(/^growing +late +[0-9a-f]{12} {2}waiting$/m);
    expect((await cli.run(['pins', 'accept', 'mcp_growing_late'])).stdout).toMatch(/Accepted: mcp_growing_late\n$/);
    expect(await json('pins', 'changes')).toEqual([]);
    await gateway.api('DELETE', '/api/servers/growing');
    await cli.run(['profiles', 'remove', 'careful']);
  });
});

describe('toolwharf servers, of the gateway [R5]', () => {
  const { command, args } = fixture('legacy');
  const api = (path: string) => gateway.api('GET', path);

  test('servers of the gateway are added, tested, changed, switched and removed', async () => {
    const added = await cli.run(
      ['servers', 'add', 'extra', '--command', command, '--env', 'SECRET=${MY_SECRET}', '--', ...args],
      { env: { MY_SECRET: 'quiet' } },
    );
    expect(added).toMatchObject({ code: 0, stdout: 'Added: extra  connected, 17 tools\n' });
    const secret = await gateway.api('POST', '/api/tools/mcp_extra_env/call', { arguments: { name: 'SECRET' } });
    expect(secret).toMatchObject({ body: { text: 'quiet' } });

    expect((await cli.run(['servers', 'test', 'extra'])).stdout).toMatch(/^✔ extra {2}17 tools, stdio, legacy, /);
    // Settings that the command does not name stay, the secret included.
    const edited = await cli.run([
      'servers',
      'edit',
      'extra',
      '--description',
      'More',
      '--timeout',
      '5s',
      '--rename',
      'more',
    ]);
    expect(edited).toMatchObject({ code: 0, stdout: 'Changed: more  connected, 17 tools\n' });
    expect((await api('/api/servers/more')).body).toMatchObject({ record: { description: 'More', timeout: 5_000 } });
    const kept = await gateway.api('POST', '/api/tools/mcp_more_env/call', { arguments: { name: 'SECRET' } });
    expect(kept).toMatchObject({ body: { text: 'quiet' } });

    expect(await cli.run(['servers', 'disable', 'more'])).toMatchObject({ stdout: 'Disabled: more\n' });
    expect((await cli.run(['servers', 'enable', 'more'])).stdout).toMatch(/^Enabled: more {2}/);
    expect(await cli.run(['servers', 'remove', 'more'])).toMatchObject({ code: 0, stdout: 'Removed: more\n' });
    expect((await api('/api/servers/more')).status).toBe(404);
  });

  test('an HTTP API can be added as a server, and its operations become tools [R21]', async () => {
    await using pets = await serveHttpApi({ document: petsDocument });
    const described = ['--url', `${pets.url}/v1`, '--openapi', `${pets.url}/openapi.json`];
    expect((await cli.run(['servers', 'test', 'pets', ...described])).stdout).toMatch(/^✔ pets {2}2 tools, api, \d/);
    expect(await cli.run(['servers', 'add', 'pets', ...described])).toMatchObject({
      code: 0,
      stdout: 'Added: pets  connected, 2 tools\n',
    });
    // At another address it is still an API.
    await cli.run(['servers', 'edit', 'pets', '--url', `${pets.url}/v2`]);
    const called = await gateway.api('POST', '/api/tools/mcp_pets_getPet/call', { arguments: { id: 1 } });
    expect(called).toMatchObject({ body: { text: expect.stringContaining('/v2/pets/1') } });
    await cli.run(['servers', 'remove', 'pets']);
  });

  test('an unreachable server is stored with the reason, and testing it ends with exit code 4', async () => {
    const unreachable = ['--url', 'http://127.0.0.1:9/mcp', '--retry-attempts', '0'];
    const tried = await cli.run(['servers', 'test', 'nowhere', ...unreachable]);
    expect(tried).toMatchObject({ code: 4, stdout: expect.stringMatching(/^✖ nowhere {2}unreachable/) });
    const added = await cli.run(['servers', 'add', 'nowhere', ...unreachable, '--bearer', 'quiet']);
    expect(added).toMatchObject({ code: 0, stdout: 'Added: nowhere  error\n' });
    expect(added.stderr).not.toBe('');
    const shown = await json('servers', 'edit', 'nowhere', '--disabled');
    expect(shown).toMatchObject({
      name: 'nowhere',
      enabled: false,
      record: { authentication: { token: { set: true } } },
    });
    expect(JSON.stringify(shown)).not.toContain('quiet');
    await cli.run(['servers', 'remove', 'nowhere']);
  });

  test('servers of the file can be tested and are changed in the file', async () => {
    expect((await cli.run(['servers', 'test', 'files'])).stdout).toBe('Connected: files  connected, 17 tools\n');
    expect(await cli.run(['servers', 'edit', 'files', '--description', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Defined in the configuration file'),
    });
    expect(await cli.run(['servers', 'remove', 'files'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('can only be changed there'),
    });
  });

  test.each([
    [['servers', 'add', 'x'], 'needs --url, or --command'],
    [['servers', 'add', 'x', '--url', 'https://a.b', '--command', 'y'], 'either --url or --command'],
    [['servers', 'add', 'x', '--url', 'https://a.b', '--bearer', 'a', '--oauth'], 'one of --bearer'],
    [['servers', 'add', 'x', '--url', 'https://a.b', '--bearer', '${NOT_SET}'], 'variable NOT_SET is not set'],
    [['servers', 'add', 'x', '--url', 'https://a.b', '--header', 'nothing'], '--header must be name:value'],
    [['servers', 'add', 'x', '--url', 'https://a.b', '--timeout', 'soon'], '--timeout'],
    [['servers', 'add', 'x', '--url', 'http://example.com/mcp'], 'https'],
    [['servers', 'add', 'x', '--url', 'https://a.b', '--retry-attempts', '9'], 'from 0 to 5'],
    [['servers', 'remove', 'nothing'], "There is no server 'nothing'"],
  ])('%j is wrong usage', async (given, message) => {
    const { code, stdout, stderr } = await cli.run(given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

test('toolwharf inspect prints the messages of a server until it is interrupted', async () => {
  const { kill, ended, stdout, stderr } = cli.open(['inspect', 'files', '--method', 'tools/call', '--json']);
  await waitFor(() => stderr().includes("Watching 'files'"), { what: 'the stream' });
  await cli.run(['call', 'mcp_files_echo', 'text=inspected']);
  await waitFor(() => stdout().trimEnd().split('\n').length === 2, { what: 'the request and its result' });
  kill('SIGINT');
  await ended;
  const lines = stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { direction: 'sent', kind: 'request', method: 'tools/call', message: { params: { name: 'echo' } } },
    { direction: 'received', kind: 'result', durationMs: expect.any(Number) },
  ]);
  expect(await cli.run(['inspect', 'none'])).toMatchObject({ code: 2 });
});

describe('toolwharf logs', () => {
  test("toolwharf logs prints a program's error output, and --follow continues", async () => {
    const script = "let n = 0; setInterval(() => console.error('line ' + process.pid + ' ' + ++n), 300);";
    await cli.run([
      'servers',
      'add',
      'talker',
      '--command',
      process.execPath,
      '--retry-attempts',
      '0',
      // Known in advance, so that one process is enough to find it out.
      '--protocol',
      'legacy',
      // It never answers, which need not be waited for.
      '--timeout',
      '1s',
      '--',
      '-e',
      script,
    ]);
    const { kill, ended, stdout } = cli.open(['logs', 'talker', '--follow']);
    await waitFor(() => stdout().split('\n').length > 8, { what: 'its lines' });
    kill('SIGINT');
    expect((await ended).code).toBe(130);
    const lines = stdout().trimEnd().split('\n');
    // None twice and none out of order, within one process: the gateway may start the program more than once.
    const byProcess = Map.groupBy(lines, (line) => line.split(' ')[1]);
    for (const written of byProcess.values()) {
      const numbers = written.map((line) => Number(line.split(' ')[2]));
      expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    }
    expect((await cli.run(['logs', 'talker'])).stdout).toMatch(/^line \d+ \d+$/m);
    await cli.run(['servers', 'remove', 'talker']);
    expect(await cli.run(['logs', 'talker'])).toMatchObject({ code: 2 });
    expect((await cli.run(['logs', 'files'])).stderr).toContain('has written nothing to stderr');
  });
});
