import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, parseConfig } from '../../packages/toolwharf/config/load-config.ts';
import { fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const { run, config: configFile } = cliIn(directory);

function myai(url: string, tools: readonly string[] = [], mode = 'strict'): string {
  return `myai:
  toolbox:
    max_concurrent: 10
    tools: ${JSON.stringify(tools.map((name) => ({ name, max_instances: 2, timeout: 'PT5S' })))}
    mcps:
      - name: customers
        url: ${url}
        transport: streamable_http
        mode: ${mode}
        default_tool_config: { max_instances: 3, timeout: PT30S }
`;
}

/** No program listens on this port. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the start', () => {
  test('a configuration with errors ends the start with exit code 3 and names every line [A9, M11]', async () => {
    const file = await configFile(`servers:
  pigeons:
    command: node
    transport: carrier-pigeon
  slow:
    url: http://localhost:1/mcp
    timeout: 5
    requird: true
`);
    const { code, stdout, stderr } = await run(['tools', '-c', file]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(`${file}:4:16  servers.pigeons.transport  unknown transport of server 'pigeons'`);
    expect(stderr).toContain('allowed: stdio, http, sse, auto');
    expect(stderr).toContain(`${file}:7:14  servers.slow.timeout`);
    expect(stderr).toContain(`${file}:8:5  servers.slow.requird`);
    expect(stderr).toContain("did you mean 'required'?");
    expect(stderr).toMatch(/\n→ CONFIG_INVALID\n$/);
  });

  test('a required server that cannot be reached ends the start with exit code 4 and the prescribed message [M9]', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/mcp`;
    const file = await configFile(myai(url));
    for (const args of [['tools'], ['call', 'anything']]) {
      const { code, stdout, stderr } = await run([...args, '-c', file]);
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      const [first, second, third, fourth] = stderr.split('\n');
      expect(first).toBe(`ERROR: Failed to connect to MCP server 'customers' at ${url}`);
      expect(second).toMatch(/^Error: .*ECONNREFUSED/);
      expect(third).toBe('');
      expect(fourth).toBe('The application cannot start without connecting to all configured MCP servers.');
    }
  });

  test('a tool that strict mode does not know ends the start with the prescribed message [M4]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '2' });
    const file = await configFile(myai(server.url, ['tool_1']));
    const { code, stdout, stderr } = await run(['tools', '-c', file]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toBe(`ERROR: Tool 'tool_2' from MCP server 'customers' is not configured in the toolbox.

MCP Server: customers
Mode: strict
Missing Tool: tool_2

Configured tools: [tool_1]

To resolve:
1. Add the tool to myai.toolbox.tools in your configuration, OR
2. Change the MCP server mode to 'dynamic' and provide default_tool_config
→ TOOL_NOT_CONFIGURED
`);
  });

  test('an environment variable overrides the mode, with the prescribed message [M7, M14]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '2' });
    const file = await configFile(myai(server.url, ['tool_1', 'vanished']));
    const env = { APP_MYAI__TOOLBOX__MCPS__0__MODE: 'dynamic' };
    const { code, stdout, stderr } = await run(['tools', '-c', file, '--json', '--log-level', 'debug'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'tool_1', limits: { maxInstances: 2, timeoutMs: 5_000 } },
      { name: 'tool_2', limits: { maxInstances: 3, timeoutMs: 30_000 } },
    ]);
    const lines = stderr.split('\n');
    expect(lines).toContain(
      "INFO: Tool 'tool_2' from MCP 'customers' not explicitly configured, using default configuration",
    );
    expect(lines).toContain(
      "WARNING: Tool 'vanished' was configured but is no longer available from MCP server 'customers'",
    );
    expect(stderr).toMatch(/^DEBUG: Tool 'tool_1' registered with explicit configuration: \{/m);
    expect(stderr).toMatch(/^DEBUG: Tool 'tool_1' configuration merged: explicit=.*, default=.*, final=/m);
    const usual = await run(['tools', '-c', file], { env });
    expect(usual.stderr).toMatch(/^WARNING: Tool 'vanished'[^\n]*\n$/);
  });

  test('a server without tools is skipped with the prescribed warning [M8]', async () => {
    const file = await configFile({ servers: { empty: fixture('no-tools') } });
    const { code, stdout, stderr } = await run(['tools', '-c', file]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^WARNING: MCP server 'empty' at \S+ \S+no-tools\.mjs returned no tools\n/);
  });
});

const mixed = await configFile({
  servers: {
    good: fixture('legacy'),
    broken: { ...fixture('crash-on-start'), required: true, retryAttempts: 0 },
    strict: { ...fixture('modern', { TOOLS: '2' }), mode: 'strict' },
    malformed: fixture('malformed-tool'),
    off: { command: 'nothing', enabled: false },
  },
  toolbox: { tools: [{ name: 'tool_1' }, { name: 'lost', server: 'good' }] },
});

describe('toolwharf servers', () => {
  test('toolwharf servers shows every server and ends with exit code 4 if a required one is unreachable', async () => {
    const { code, stdout } = await run(['servers', '-c', mixed], { env: { COLUMNS: '100' } });
    expect(code).toBe(4);
    expect(stdout).toMatch(/^SERVER +STATE +TOOLS +TRANSPORT +ERA +CONNECTED IN$/m);
    expect(stdout).toMatch(/^good +connected +17 +stdio +legacy +[\d.]+ m?s$/m);
    expect(stdout).toMatch(/^broken +error +stdio\n {2}.*code 3/m);
    expect(stdout).toMatch(/^strict +connected +1 of 2 +stdio +modern/m);
    expect(stdout).toMatch(/^off +disabled/m);
    const narrow = await run(['servers', '-c', mixed], { env: { COLUMNS: '40' } });
    expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(narrow.stdout).toMatch(/^good {2}connected\n {2}17 tools · stdio · legacy/m);
  });

  test('toolwharf servers --json prints configuration and state', async () => {
    const { stdout } = await run(['servers', '-c', mixed, '--json']);
    const servers = JSON.parse(stdout) as Record<string, unknown>[];
    expect(servers.map(({ name }) => name)).toEqual(['good', 'broken', 'strict', 'malformed', 'off']);
    expect(servers).toMatchObject([
      {
        status: { state: 'connected', era: 'legacy', transport: 'stdio' },
        offers: { tools: { count: 17, stale: false } },
      },
      {
        required: true,
        status: { state: 'error', code: expect.any(String), reason: expect.stringContaining('code 3') },
      },
      { mode: 'strict', status: { state: 'connected', connectMs: expect.any(Number) } },
      { offers: { tools: { count: 2 } } },
      { enabled: false, status: { state: 'disconnected' } },
    ]);
  });
});

describe('toolwharf check', () => {
  test('toolwharf check reports a good configuration', async () => {
    const file = await configFile({
      servers: { good: fixture('legacy'), off: { command: 'nothing', enabled: false } },
    });
    const { code, stdout, stderr } = await run(['check', '-c', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^✔ good {2}connected {2}17 tools {2}stdio, legacy/m);
    expect(stdout).toMatch(/\nNo problems found\n$/);
    expect(JSON.parse((await run(['check', '-c', file, '--json'])).stdout)).toMatchObject({ ok: true, problems: [] });
  });

  test('toolwharf check names each problem of the configuration once', async () => {
    const file = await configFile({ servers: { far: { url: 'http://127.0.0.1:9/${PART}' } } });
    const report = JSON.parse((await run(['check', '-c', file, '--json'])).stdout) as { problems: object[] };
    expect(report.problems).toEqual([
      { kind: 'warning', message: expect.stringContaining('only a part of the value') },
    ]);
  });

  test('check waits for a server that takes longer than ten seconds to start', async () => {
    const file = await configFile({ servers: { late: { ...fixture('late', { START_MS: '12000' }), timeout: '60s' } } });
    const { stdout } = await run(['check', '-c', file, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, servers: [{ name: 'late' }] });
  });

  test('toolwharf check finds all problems of all servers at once', async () => {
    const { code, stdout, stderr } = await run(['check', '-c', mixed, '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const report = JSON.parse(stdout) as { ok: boolean; servers: { name: string; problems: object[] }[] };
    const found = Object.fromEntries(report.servers.map(({ name, problems }) => [name, problems]));
    expect(report.ok).toBe(false);
    expect(found.good).toEqual([expect.objectContaining({ kind: 'gone', tool: 'lost' })]);
    expect(found.broken).toEqual([{ kind: 'unavailable', message: expect.stringContaining('code 3') }]);
    expect(found.strict).toEqual([expect.objectContaining({ kind: 'not-configured', tool: 'tool_2' })]);
    expect(found.malformed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          kind: 'left-out',
          tool: 'string_schema',
          message: expect.stringContaining('inputSchema'),
        }),
        expect.objectContaining({ kind: 'schema', tool: 'circular' }),
      ]),
    );
    expect(found.off).toEqual([]);
    const told = await run(['check', '-c', mixed]);
    expect(told.code).toBe(1);
    expect(told.stdout).toMatch(/\n\d+ problems found in 4 servers\n$/);
    expect(told.stdout).not.toContain('No problems found');
  });

  test('toolwharf check prints the lines of configuration errors, also as JSON [M11]', async () => {
    const file = await configFile('servers:\n  a:\n    comand: node\n');
    const { code, stdout } = await run(['check', '-c', file]);
    expect(code).toBe(3);
    expect(stdout).toContain(`${file}:3:5  servers.a.comand`);
    const json = await run(['check', '-c', file, '--json']);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout).config.problems).toContainEqual(
      expect.objectContaining({ file, line: 3, column: 5, path: 'servers.a.comand', suggestion: 'command' }),
    );
  });
});

describe('toolwharf import', () => {
  const clients = join(root, 'test', 'fixtures', 'config', 'clients');

  test.each([
    ['claude_desktop_config.json', ['filesystem', 'brave-search'], 'has secrets in plain text: env.BRAVE_API_KEY'],
    ['mcp_config.json', ['talk', 'local', 'intranet'], "Server 'intranet' will not be connected"],
  ])('toolwharf import converts %s, with a warning for each lost setting', async (name, servers, warning) => {
    const { code, stdout, stderr } = await run(['import', join(clients, name)]);
    expect(code).toBe(0);
    expect(parseConfig(parse(stdout), { env: {} }).config.servers.map((server) => server.name)).toEqual(servers);
    expect(stderr).toMatch(/^WARNING: /);
    expect(stderr).toContain(warning);
  });

  test('toolwharf import converts a command line of a proxy', async () => {
    const words = ['npx', '-y', 'supergateway', '--stdio', 'uvx mcp-server-git', '--port', '8000'];
    const { code, stdout, stderr } = await run(['import', '--', ...words]);
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({ servers: { git: { command: 'uvx', args: ['mcp-server-git'] } } });
    expect(stderr).toContain('not imported, because Toolwharf has its own address and log: port');
  });

  test('toolwharf import --discover finds the servers of all clients of the user and the project', async () => {
    await using home = await tempDir();
    const { run: runHere } = cliIn(home);
    const write = async (name: string, text: string) => {
      await mkdir(dirname(home.file(name)), { recursive: true });
      await writeFile(home.file(name), text);
    };
    expect(await runHere(['import', '--discover'])).toMatchObject({ code: 1 });
    const shared = '{ "command": "npx", "args": ["shared"] }';
    await write(
      '.cursor/mcp.json',
      `{ "mcpServers": { "shared": ${shared}, "toolwharf": { "url": "http://x/mcp" } } }`,
    );
    await write('.lmstudio/mcp.json', `{ "mcpServers": { "shared": ${shared} } }`);
    await write('.junie/mcp/mcp.json', '{ "mcpServers": { "shared": { "command": "other" } } }');
    await write('.codex/config.toml', '[mcp_servers.docs]\nurl = "https://docs.example.com/mcp"\n');
    await write('.config/zed/settings.json', '{ "theme": "dark", /* none */ }');
    await write('.gemini/settings.json', '{ "mcpServers": {');
    await write('.continue/config.yaml', 'schema: v1\nmcpServers:\n  - name: here\n    command: here\n');
    const project = { [home.path]: { mcpServers: { mine: { command: 'mine' } } } };
    await write('.claude.json', JSON.stringify({ projects: project }));
    const { code, stdout, stderr } = await runHere(['import', '--discover']);
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({
      servers: {
        mine: { command: 'mine' },
        shared: { command: 'npx', args: ['shared'] },
        docs: { url: 'https://docs.example.com/mcp' },
        here: { command: 'here' },
        'shared-jetbrains': { command: 'other' },
      },
    });
    expect(stderr).toContain(`Cursor: 1 server in ${home.file('.cursor/mcp.json')}`);
    expect(stderr).toMatch(/Cannot read '.*\.gemini\/settings\.json': line 1/);
    expect(await runHere(['import'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--discover') });
  });

  test('toolwharf import reads the TOML file of Codex', async () => {
    await writeFile(directory.file('config.toml'), '[mcp_servers.a]\ncommand = "x"\nenv = { B = "c" }\n');
    const { stdout } = await run(['import', directory.file('config.toml')]);
    expect(parse(stdout)).toEqual({ servers: { a: { command: 'x', env: { B: 'c' } } } });
    await writeFile(directory.file('bad.toml'), 'a = \n');
    expect(await run(['import', directory.file('bad.toml')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 1, column'),
    });
  });

  test('toolwharf import rejects the command line of another program', async () => {
    const { code, stderr } = await run(['import', '--', 'ls', '-l']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('is not a command line of supergateway or mcp-proxy');
  });

  test('toolwharf import writes a private file and replaces none without --force', async () => {
    const [source, target] = [join(clients, 'mcp_config.json'), directory.file('toolwharf.yaml')];
    const { code, stdout, stderr } = await run(['import', source, '--write']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Wrote 3 servers from Windsurf to toolwharf.yaml');
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    const written = await readFile(target, 'utf8');
    await writeFile(target, 'mine');
    const refused = await run(['import', source, '--write', target]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('already exists; use --force to overwrite it');
    expect(await readFile(target, 'utf8')).toBe('mine');
    expect((await run(['import', source, '--write', target, '--force'])).code).toBe(0);
    expect(await readFile(target, 'utf8')).toBe(written);
  });

  test.each(['seed-000.json', 'seed-002-a3.yaml', 'seed-003.json'])(
    'toolwharf import converts %s to a native file that loads [N1]',
    async (name) => {
      const target = directory.file(`${name}.imported.yaml`);
      const source = join(root, 'test', 'fixtures', 'config', name);
      const imported = await run(['import', source, '--write', target]);
      expect({ code: imported.code, stderr: imported.stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/Wrote \d+ servers? from .* to /),
      });
      const { config } = await loadConfig(target, { env: {} });
      const { config: before } = await loadConfig(source, { env: {} });
      expect(config.dialect).toBe('native');
      expect(config.servers.map((server) => server.name)).toEqual(before.servers.map((server) => server.name));
    },
  );

  test('toolwharf import explains the problem of an unusable file', async () => {
    const missing = await run(['import', directory.file('none.json')]);
    expect(missing).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('does not exist') });
    const other = await run(['import', join(root, 'package.json')]);
    expect(other).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('has no servers: expected'),
    });
  });
});
