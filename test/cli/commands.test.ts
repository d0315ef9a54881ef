import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const { start, run, config: configFile } = cliIn(directory);

const basic = await configFile({ servers: { files: fixture('legacy'), new_era: fixture('modern') } });
const asking = await configFile({
  servers: { files: fixture('legacy') },
  toolbox: { approval: { mode: 'always-ask', deny: ['*_add'] } },
});

function call(name: string, ...args: string[]) {
  return run(['call', name, '-c', basic, ...args]);
}

describe('the command itself', () => {
  test('help and version load neither the toolbox nor the MCP SDK, and help lists the exit codes', async () => {
    const hooks = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      process.on('exit', () => console.error(JSON.stringify(loaded)));`;
    const node = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`];
    const help = await start(['--help'], { node, program: join(root, 'packages', 'cli', 'main.ts') }).ended;
    const loaded = JSON.parse(help.stderr) as string[];
    expect(loaded.some((url) => url.endsWith('/cli/main.ts'))).toBe(true);
    expect(loaded.filter((url) => /toolbox|modelcontextprotocol|node_modules\/(zod|yaml)/.test(url))).toEqual([]);
    expect(help.stdout).toContain('Exit codes:');
    const version = await run(['--version']);
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
  });

  test('compiled code is cached for the next start, and an unwritable cache is no problem', async () => {
    const cache = directory.file('cache');
    const env = { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: cache };
    expect(await start(['--version'], { env }).ended).toMatchObject({ code: 0, stderr: '' });
    const compiled = join(cache, 'toolwharf', 'compiled');
    expect((await stat(compiled)).mode & 0o777).toBe(0o700);
    expect(await readdir(compiled)).toHaveLength(1);
    expect(await start(['--version'], { env }).ended).toMatchObject({ code: 0, stderr: '' });
    const noPlace = { ...env, XDG_CACHE_HOME: basic };
    expect(await start(['--version'], { env: noPlace }).ended).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    [['frobnicate'], 'unknown command'],
    [['tools', '--log-level', 'loud'], 'Allowed choices are debug, info, warning, error'],
    [['call'], "missing required argument 'tool'"],
    [['call', 'x', '--args', '{'], 'is not valid JSON'],
    [['call', 'x', '--args', '{}', '--arg', 'a=1'], 'either --args or name=value'],
    [['call', 'x', '--args', '{}', 'a=1'], 'either --args or name=value'],
    [['call', 'x', 'a=1', '--arg', 'a=2'], 'given twice'],
    [['call', 'x', 'hello'], "Argument 'hello' must be name=value"],
    [['call', 'x', '--timeout', '30'], 'needs a unit'],
    [['tools', '--server', 'fils', '-c', basic], "did you mean 'files'"],
  ])('wrong usage ends with exit code 2 and says why: %j', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^ERROR: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });

  test('a closed pipe ends the command quietly', async () => {
    const { child, ended } = start(['tools', '-c', basic]);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('toolwharf tools', () => {
  test('toolwharf tools lists the tools of all servers, grouped, within the width of the terminal [A10]', async () => {
    for (const [columns, line] of [
      ['60', /^ {2}mcp_files_echo {15}Returns the text it was given$/m],
      ['40', /^ {2}mcp_files_echo\n {4}Returns the text it was given$/m],
    ] as const) {
      const { code, stdout, stderr } = await run(['tools', '-c', basic], { env: { COLUMNS: columns } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^files {2}17 tools\n/);
      expect(stdout).toMatch(/\nnew_era {2}18 tools\n/);
      expect(stdout).toMatch(line);
      expect(Math.max(...stdout.split('\n').map((one) => one.length))).toBeLessThanOrEqual(Number(columns));
      expect(stdout).not.toContain('\u001b');
    }
  });

  test('toolwharf tools lists chains after the servers, and toolwharf call calls them [R23]', async () => {
    const chains = { hello: { description: 'Says hello', steps: [{ tool: 'mcp_a_echo', arguments: { text: 'hi' } }] } };
    const config = await configFile({ servers: { a: fixture('legacy') }, toolbox: { chains } });
    const { stdout } = await run(['tools', '-c', config]);
    expect(stdout).toMatch(/\n\nlocal tools and chains {2}1 tool\n {2}hello +Says hello\n$/);
    expect(await run(['call', 'hello', '-c', config])).toMatchObject({ code: 0, stdout: 'hi\n' });
  });

  test('toolwharf tools --json prints JSON on stdout and missing servers on stderr [A6]', async () => {
    const config = await configFile({
      servers: { files: fixture('legacy'), broken: fixture('crash-on-start'), mute: fixture('list-fails') },
    });
    const { code, stdout, stderr } = await run(['tools', '-c', config, '--json']);
    expect(code).toBe(0);
    const tools = JSON.parse(stdout) as Record<string, unknown>[];
    expect(tools).toHaveLength(17);
    expect(tools[0]).toEqual({
      name: 'mcp_files_echo',
      server: 'files',
      originalName: 'echo',
      description: 'Returns the text it was given',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true, idempotentHint: true },
      definitionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      limits: { maxInstances: 64, timeoutMs: 30_000 },
    });
    expect(stderr).toMatch(/^WARNING: MCP server 'broken' is not available and skipped: .*code 3/m);
    expect(stderr).toMatch(/^WARNING: Server 'mute' did not list its tools: /m);
    const quiet = await run(['tools', '-c', config, '--json', '--log-level', 'error']);
    expect(quiet.stderr).toMatch(/^WARNING: Server 'broken' is unavailable: .*code 3/m);
    expect(quiet.stderr).toMatch(/^WARNING: Server 'mute' is unavailable: /m);
  });

  test('listing the tools of an unreachable server ends with exit code 4, not with an empty list', async () => {
    const config = await configFile({ servers: { broken: fixture('crash-on-start') } });
    const { code, stdout, stderr } = await run(['tools', '-c', config, '--server', 'broken']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain("'broken'");
  });

  test('without a configuration there are default servers, confined to a folder of their own [B4]', async () => {
    const [cwd, data] = [directory.file('elsewhere'), directory.file('defaults')];
    await mkdir(cwd);
    const options = { cwd, env: { TOOLWHARF_DATA_DIR: data } };
    const { code, stdout, source } = await run(['tools', '--json'], options);
    expect(code).toBe(0);
    expect(new Set(JSON.parse(stdout).map((tool: { server: string }) => tool.server))).toEqual(new Set(['filesystem']));
    const servers = `filesystem in ${join(data, 'files')}; github needs GITHUB_TOKEN, brave needs BRAVE_API_KEY`;
    expect(source).toBe(
      `Using the default servers (no toolwharf.yaml in this directory: ${servers}) without a gateway`,
    );
    const inside = ['--arg', `path=${join(data, 'files', 'a.txt')}`, '--arg', 'content=hello'];
    expect((await run(['call', 'filesystem/write_file', ...inside], options)).code).toBe(0);
    expect(await readFile(join(data, 'files', 'a.txt'), 'utf8')).toBe('hello');
    const outside = ['--arg', `path=${join(data, 'b.txt')}`, '--arg', 'content=hello'];
    expect((await run(['call', 'filesystem/write_file', ...outside], options)).code).toBe(1);
    expect(existsSync(join(data, 'b.txt'))).toBe(false);
  });
});

describe('toolwharf call', () => {
  test("toolwharf call prints the result as it is, with arguments typed by the tool's schema", async () => {
    expect(await call('mcp_files_add', '--arg', 'a=1.5', '--arg', 'b=2')).toMatchObject({
      code: 0,
      stdout: '3.5\n',
      stderr: '',
    });
    expect((await call('new_era/echo', '--arg', 'text=2')).stdout).toBe('2\n');
    expect((await call('files/add', 'a=1.5', '--arg', 'b=2')).stdout).toBe('3.5\n');
    expect((await call('new_era/echo', 'text=a=b')).stdout).toBe('a=b\n');
    const raw = '\u001b[31m\u202eraw';
    expect((await call('files/echo', '--args', JSON.stringify({ text: raw }))).stdout).toBe(`${raw}\n`);
    expect((await call('files/image')).stdout).toMatch(/^\[image, image\/png, \d+ bytes\]\n$/);
    const piped = await run(['call', 'files/echo', '-c', basic, '--args', '-'], { input: '{"text":"from stdin"}' });
    expect(piped.stdout).toBe('from stdin\n');
  });

  test('toolwharf call prints all digits of large integers, as text and with --json', async () => {
    const config = await configFile({ servers: { exact: fixture('exact') } });
    const result = '{"content":[],"structuredContent":{"id":9007199254740993,"one":1.0}}';
    const args = ['call', 'mcp_exact_echo', '-c', config, '--args', JSON.stringify({ result })];
    for (const options of [[], ['--json']]) {
      const { stdout } = await run([...args, ...options]);
      expect(stdout).toContain('"id": 9007199254740993');
      expect(stdout).toContain('"one": 1.0');
    }
  });

  test('toolwharf call sends its arguments as they are written', async () => {
    const config = await configFile({ servers: { exact: fixture('exact') } });
    const text = '{"n": 9007199254740993,"2":1.0, "1":-0}';
    const whole = await run(['call', 'mcp_exact_echo', '-c', config, '--args', `{"b":${text},"1":1e2}`]);
    expect(whole.stdout).toContain(`"arguments":{"b":${text},"1":1e2}`);
    const single = await run(['call', 'mcp_exact_echo', '-c', config, `value:=${text}`]);
    expect(single.stdout).toContain(`"arguments":{"value":${text}}`);
    const twice = await run(['call', 'mcp_exact_echo', '-c', config, '--args', '{"a":1,"a":2}']);
    expect(twice.stderr).toContain('occurs twice');
  });

  test('toolwharf call --json prints the whole result on stdout, also of a failed call', async () => {
    const { code, stdout, stderr } = await call('files/structured', '--arg', 'city=Rome', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      isError: false,
      content: [{ type: 'text', text: '{"city":"Rome","degrees":21.5}' }],
      structuredContent: { city: 'Rome', degrees: 21.5 },
      callId: expect.any(String),
    });
    const failed = await call('files/sleep', '--arg', 'ms=60000', '--timeout', '200ms', '--json');
    expect(failed.code).toBe(124);
    expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true, failure: { code: 'CALL_TIMED_OUT' } });
  });

  test.each([
    ['the tool reports an error', ['files/fail'], 1, 'ERROR: this tool always fails\n→ TOOL_FAILED'],
    [
      'a value has the wrong type',
      ['files/add', '--arg', 'a=x', '--arg', 'b=1'],
      2,
      "Argument a: expected number, got 'x'",
    ],
    [
      'an argument is missing',
      ['files/add', '--arg', 'a=1'],
      2,
      'Parameters:\n    a  number, required\n    b  number, required',
    ],
    [
      'the name is mistyped',
      ['mcp_files_ecko'],
      2,
      "Invalid MCP tool name: mcp_files_ecko; did you mean 'mcp_files_echo'?",
    ],
    ['the server is left out', ['echo'], 2, "did you mean 'mcp_files_echo' or 'mcp_new_era_echo'?"],
    ['the path is mistyped', ['files/ecko'], 2, "did you mean 'files/echo'?"],
    ['it takes too long', ['files/sleep', '--arg', 'ms=60000', '--timeout', '200ms'], 124, '→ CALL_TIMED_OUT'],
    ['the server asks and nobody is there', ['files/ask', '--arg', 'question=who'], 1, 'the client has no elicitation'],
  ])('toolwharf call explains the problem when %s', async (_, args, code, message) => {
    const result = await call(...(args as [string]));
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain('    at ');
  });

  test('a tool of an unreachable server is not reported as unknown [B9]', async () => {
    const config = await configFile({ servers: { broken: fixture('crash-on-start') } });
    for (const name of ['broken/echo', 'mcp_broken_echo']) {
      const { code, stderr } = await run(['call', name, '-c', config]);
      expect(code).toBe(4);
      expect(stderr).toMatch(/^ERROR: Not connected to MCP server: broken \(.*code 3/m);
    }
  });

  test('a call that needs approval is denied if there is no approver [R16]', async () => {
    const file = directory.file('never-written');
    const args = ['--arg', `path=${file}`, '--arg', 'text=x'];
    const { code, stdout, stderr } = await run(['call', 'files/write', '-c', asking, ...args]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('the approval mode is always-ask, and no approver is available');
    expect(existsSync(file)).toBe(false);
    const denied = await run(['call', 'files/add', '-c', asking, '--arg', 'a=1', '--arg', 'b=2']);
    expect(denied.code).toBe(5);
    expect(denied.stderr).toContain('mcp_files_add is on the deny list');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s cancels the call and leaves no process behind [A2]', async (signal, code) => {
    const args = ['call', 'files/sleep', '--arg', 'ms=600000', '-c', basic, '--log-level', 'info'];
    const { child, pid, stderr, ended } = start(args);
    await waitFor(() => stderr().includes("Tool 'sleep' from MCP 'new_era'") && stderr().includes("MCP 'files'"));
    const servers = descendantsOf(pid);
    expect(servers.length).toBeGreaterThanOrEqual(2);
    child.kill(signal);
    expect(await ended).toMatchObject({ code, stdout: '' });
    await waitFor(() => !servers.some(isAlive), { what: 'the end of all servers' });
  });

  test('a second Ctrl-C ends the call at once, and its servers too [A2]', async () => {
    const called = directory.file('called');
    const config = await configFile({ servers: { stubborn: fixture('ignore-sigterm', { CALLED: called }) } });
    const { child, pid, stderr, ended } = start(['call', 'stubborn/sleep', '--arg', 'ms=600000', '-c', config]);
    // During the start, Ctrl-C only skips the server that the command waits for.
    await waitFor(() => existsSync(called));
    const servers = descendantsOf(pid);
    expect(servers.length).toBeGreaterThan(0);
    child.kill('SIGINT');
    await waitFor(() => stderr().includes('Cancelling'));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await waitFor(() => !servers.some(isAlive), { what: 'the end of a server that ignores SIGTERM' });
  });
});
