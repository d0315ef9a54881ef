import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { importClientConfig, importCommandLine } from './import-client-config.ts';
import { loadConfig, parseConfig, parseConfigText } from './load-config.ts';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../test/fixtures/config/clients/${name}`, import.meta.url));
const files = ['claude_desktop_config.json', '.mcp.json', '.cursor/mcp.json', 'mcp_config.json', '.vscode/mcp.json'];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-import-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('importing the configuration of another client', () => {
  test.each([
    ['claude_desktop_config.json', 'claude-desktop'],
    ['.mcp.json', 'claude-code'],
    ['.cursor/mcp.json', 'cursor'],
    ['mcp_config.json', 'windsurf'],
    ['.vscode/mcp.json', 'vscode'],
  ])('the import of a client configuration recognizes %s as the file of %s', async (name, client) => {
    expect((await importClientConfig(fixture(name), { env: {} })).client).toBe(client);
  });

  test('the import of a client configuration recognizes the client of an object by its keys, or reports it as unknown', async () => {
    const clientOf = async (server: object) =>
      (await importClientConfig({ mcpServers: { a: server } }, { env: {} })).client;
    await expect(clientOf({ serverUrl: 'https://x.y' })).resolves.toBe('windsurf');
    await expect(clientOf({ type: 'http', url: 'https://x.y' })).resolves.toBe('claude-code');
    await expect(clientOf({ command: 'x' })).resolves.toBe('unknown');
    const servers = { a: { command: 'x' } };
    await expect(importClientConfig({ servers, inputs: [] }, { env: {} })).resolves.toMatchObject({ client: 'vscode' });
  });

  test.each(files)(
    'the import of a client configuration writes %s as a toolwharf.yaml that loads the same servers',
    async (name) => {
      const { servers, nativeConfig } = await importClientConfig(fixture(name), { env: {} });
      const { config } = parseConfigText(stringify(nativeConfig), 'toolwharf.yaml', { env: {} });
      expect(config.dialect).toBe('native');
      expect(config.servers).toEqual(servers);
      expect(servers.length).toBeGreaterThan(0);
    },
  );

  test('the import of a client configuration leaves literal secrets unchanged and names them, without their values, in a warning', async () => {
    const { nativeConfig, warnings } = await importClientConfig(fixture('claude_desktop_config.json'), { env: {} });
    expect(nativeConfig).toMatchObject({
      servers: { 'brave-search': { env: { BRAVE_API_KEY: 'BSA-fixture-not-a-real-key' } } },
    });
    expect(warnings).toEqual([
      "Server 'brave-search' has secrets in plain text: env.BRAVE_API_KEY. Better: a variable, such as ${BRAVE_API_KEY}",
    ]);
  });

  test('the import of a client configuration recognizes secrets by name and by shape, also in headers and tokens', async () => {
    const { warnings } = await importClientConfig(
      {
        mcpServers: {
          a: {
            command: 'x',
            env: { DATABASE: 'postgres://u:hunter2@db/x', PATH: '/bin', T: 'ghp_hunter2hunter2', OK_TOKEN: '${T}' },
          },
          b: { url: 'https://x.y', headers: { Authorization: 'Bearer hunter2', 'X-Team': 'a' } },
          c: { url: 'https://x.y', headers: { 'X-Api-Key': 'hunter2' } },
        },
      },
      { env: {} },
    );
    expect(warnings).toEqual([
      expect.stringMatching(/'a' has secrets in plain text: env\.DATABASE, env\.T\. /),
      expect.stringMatching(/'b' has secrets in plain text: authentication\.token\. .*\$\{TOKEN\}/),
      expect.stringMatching(/'c' has secrets in plain text: headers\.X-Api-Key\. .*\$\{X_API_KEY\}/),
    ]);
    expect(warnings.join()).not.toContain('hunter2');
  });

  test('the import of a client configuration does not write the values of variables', async () => {
    const env = {
      GITHUB_TOKEN: 'hunter2',
      DB_SCHEMA: 'hunter2',
      EVENTS_KEY: 'hunter2',
      EVENTS_BASE: 'https://other.example.com',
    };
    const { nativeConfig, warnings } = await importClientConfig(fixture('.mcp.json'), { env });
    expect(JSON.stringify(nativeConfig)).not.toContain('hunter2');
    expect(nativeConfig).toMatchObject({
      servers: {
        github: { authentication: { type: 'bearer', token: '${GITHUB_TOKEN}' } },
        events: { url: 'https://other.example.com/sse' },
        database: { args: expect.arrayContaining(['${DB_SCHEMA:-public}']) },
      },
    });
    expect(warnings).toContainEqual(expect.stringMatching(/'database': a \$\{VAR\} in 'args'.*is not replaced/));
  });

  test('the import of a client configuration disables servers that use plain http to another machine [R19]', async () => {
    const { servers, nativeConfig } = await importClientConfig(fixture('mcp_config.json'), { env: {} });
    expect(nativeConfig).toMatchObject({ servers: { intranet: { url: 'http://10.0.0.7:9000/mcp', enabled: false } } });
    expect(servers.find((server) => server.name === 'intranet')).toMatchObject({ enabled: false });
  });

  test('the import of a client configuration skips a server that cannot be used, reports the reason and imports the others', async () => {
    const { servers, warnings } = await importClientConfig(
      { mcpServers: { socket: { type: 'ws', url: 'wss://x.y' }, good: { command: 'x' }, odd: 5 } },
      { env: {} },
    );
    expect(servers.map((server) => server.name)).toEqual(['good']);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Server 'socket' is left out: .*unknown transport of server 'socket', found "ws"; allowed: stdio, http/,
      ),
      expect.stringMatching(/^Server 'odd' is left out: .*must be a map/),
    ]);
  });

  test('the import of a client configuration ignores the environment overrides of a running Toolwharf', async () => {
    const env = { TOOLWHARF__SERVERS__GOOD__COMMAND: 'other', TOOLWHARF__TOOLBOX__NAMING: 'plain' };
    const { nativeConfig } = await importClientConfig({ mcpServers: { good: { command: 'x' } } }, { env });
    expect(nativeConfig).toEqual({ servers: { good: { command: 'x' } } });
  });

  test.each([
    ['{"theme": "dark"}', /has no servers: expected 'mcpServers', 'servers', .*'myai'/],
    ['{"mcpServers": []}', /has no servers/],
    ['{"mcp_servers": []}', /mcp_servers {2}must be a map of server names/],
    ['{"mcpServers": {', /not valid YAML or JSON/],
    ['{"mcpServers": {"__proto__": {"command": "x"}}}', /'__proto__' is not allowed/],
  ])('the import of a client configuration rejects %s', async (text, message) => {
    const file = join(directory, 'settings.json');
    await writeFile(file, text);
    await expect(importClientConfig(file, { env: {} })).rejects.toThrow(message);
    await expect(importClientConfig(file, { env: {} })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('files of the other dialects are converted', () => {
  const sample = (name: string) => join(import.meta.dirname, '../../../test/fixtures/config', name);

  test.each([
    ['seed-000.json', 'squidbot'],
    ['seed-000-tools.json', 'squidbot'],
    ['seed-002-a1.yaml', 'myai'],
    ['seed-002-a2.yaml', 'myai'],
    ['seed-002-a3.yaml', 'myai'],
    ['seed-003.json', 'bridge'],
  ])('%s becomes a native file with the same servers, limits and naming [N1]', async (name, client) => {
    const imported = await importClientConfig(sample(name), { env: {} });
    expect(imported.client).toBe(client);
    const [{ config: before }, { config: after }] = [
      await loadConfig(sample(name), { env: {} }),
      parseConfig(imported.nativeConfig, { env: {} }),
    ];
    expect(after.dialect).toBe('native');
    const insecure = ({ target }: ServerSpec) => 'url' in target && target.url.startsWith('http://ext');
    expect(after.servers).toEqual(
      before.servers.map((server) => (insecure(server) ? { ...server, enabled: false } : server)),
    );
    const { localToolsMustBeConfigured: _, defaultTool: __, ...toolbox } = before.toolbox;
    expect(after.toolbox).toMatchObject(toolbox);
  });

  test("a converted file keeps Toolwharf's own keys and names the secrets in plain text", async () => {
    const { nativeConfig, warnings } = await importClientConfig({
      mcp_servers: { a: { command: 'x', env: { API_TOKEN: 'plain' } } },
      gateway: { requireAuthentication: true },
    });
    expect(nativeConfig).toMatchObject({ servers: { a: { command: 'x' } }, gateway: { requireAuthentication: true } });
    expect(warnings).toEqual([expect.stringContaining("Server 'a' has secrets in plain text: env.API_TOKEN")]);
  });
});

test('the warning about plain http names the line that allows it, where the file has the server [R19, M1]', async () => {
  const { warnings } = await loadConfig(join(import.meta.dirname, '../../../test/fixtures/config/seed-002-a3.yaml'));
  expect(warnings).toEqual([
    "Server 'external-api' will not be connected, its url is plain http to another machine: use https, or allow it with the line 'allow_insecure: true' in myai.toolbox.mcps[1]",
  ]);
});

const importWords = (...words: string[]) => importCommandLine(words, { env: {} });

test('a command line of supergateway is imported as the program that it serves', async () => {
  const line = "npx -y @modelcontextprotocol/server-filesystem '/srv/my files'";
  const words = ['npx', '-y', 'supergateway', '--stdio', line, '--port', '8000', '--cors', '--outputTransport=ws'];
  const { nativeConfig, warnings, client } = await importWords(...words);
  expect(client).toBe('supergateway');
  expect(nativeConfig).toEqual({
    servers: {
      filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/my files'] },
    },
  });
  expect(warnings).toEqual([
    "supergateway: 'cors' is not imported: Toolwharf answers no web pages of other origins",
    'supergateway: not imported, because Toolwharf has its own address and log: port, outputTransport',
    'supergateway passed its whole environment to the server: list the variables that it needs under env',
  ]);
});

test('the URL, headers and token of a command line of supergateway are imported, and no warning contains a secret', async () => {
  const { nativeConfig, warnings } = await importWords(
    ...[
      'docker',
      'run',
      '-i',
      '--rm',
      'supercorp/supergateway:latest',
      '--streamable-http',
      'https://api.example.com/mcp',
    ],
    ...['--oauth2Bearer', 'hunter2', '--header', 'X-Team: ops', '--header', 'hunter2', '--apiKey', 'hunter2'],
  );
  expect(nativeConfig).toEqual({
    servers: {
      api: {
        transport: 'http',
        url: 'https://api.example.com/mcp',
        headers: { 'X-Team': 'ops' },
        authentication: { type: 'bearer', token: 'hunter2' },
      },
    },
  });
  expect(warnings.join('\n')).toMatch(/API keys are not imported.*A header is left out/s);
  expect(warnings.join('\n')).not.toContain('hunter2');
});

test('an unknown option of supergateway does not hide the options after it, and its value is not shown', async () => {
  const words = ['/usr/local/bin/supergateway', '--secretOption', 'hunter2', '--stdio=uvx mcp-server-time'];
  const { nativeConfig, warnings } = await importWords(...words);
  expect(nativeConfig).toEqual({ servers: { time: { command: 'uvx', args: ['mcp-server-time'] } } });
  expect(warnings[0]).toBe(
    'Options and arguments that supergateway does not know are ignored: --secretOption, 1 other word',
  );
});

test('a program that a proxy ran in a container is imported as disabled', async () => {
  const words = ['docker', 'run', '-p', '8000:8000', 'supercorp/supergateway', '--stdio', 'uvx mcp-server-git'];
  const { nativeConfig, warnings } = await importWords(...words);
  expect(nativeConfig).toEqual({ servers: { git: { command: 'uvx', args: ['mcp-server-git'], enabled: false } } });
  expect(warnings).toContain(
    'The server ran in a container and would run on this machine, so it is disabled: start it in a container',
  );
});

test('a command line of mcp-proxy is imported with its named servers, variables and working directory', async () => {
  const { nativeConfig, warnings } = await importWords(
    ...['mcp-proxy', '--port=8080', '--host', '0.0.0.0', '--pass-environment', '-e', 'MODE', 'fast', '--cwd', '/srv'],
    ...['--allow-origin', '*', '--named-server', 'time', 'uvx mcp-server-time --local-timezone UTC', '--'],
    ...['uvx', 'mcp-server-fetch', '--user-agent=Mine'],
  );
  expect(nativeConfig).toEqual({
    servers: {
      fetch: {
        command: 'uvx',
        args: ['mcp-server-fetch', '--user-agent=Mine'],
        env: { MODE: 'fast' },
        cwd: '/srv',
        inheritEnv: true,
      },
      time: { command: 'uvx', args: ['mcp-server-time', '--local-timezone', 'UTC'], inheritEnv: true },
    },
  });
  expect(warnings).toEqual([
    '--allow-origin is not imported: Toolwharf answers no web pages of other origins',
    'mcp-proxy: not imported, because Toolwharf has its own address, log and timeouts: port, host',
  ]);
});

test('options of mcp-proxy after its URL are read, and those that weaken or protect a connection are reported', async () => {
  const { nativeConfig, warnings } = await importWords(
    ...['uvx', 'mcp-proxy@0.9', 'https://tools.example.com/mcp', '--transport', 'streamablehttp'],
    ...['-H', 'Authorization', 'Bearer hunter2', '--no-verify-ssl', '--client-id', 'a', '--client-secret', 'hunter2'],
    ...['--apiKey', 'hunter2', '--sslCert', 'a.pem', '--other', '--named-server-config', 'b.json'],
  );
  expect(nativeConfig).toEqual({
    servers: {
      tools: {
        transport: 'http',
        url: 'https://tools.example.com/mcp',
        authentication: { type: 'bearer', token: 'hunter2' },
      },
    },
  });
  const text = warnings.join('\n');
  expect(text).not.toContain('hunter2');
  for (const part of ['API key', '--no-verify-ssl', 'client credentials', 'TLS settings', '--other'])
    expect(text).toContain(part);
});

test('a program of the npm package mcp-proxy that needs a shell is run by one', async () => {
  const { nativeConfig } = await importWords('npx', 'mcp-proxy', '--shell', 'server', '--flag');
  expect(nativeConfig).toEqual({ servers: { server: { command: 'sh', args: ['-c', 'server --flag'] } } });
});

test.each([
  [['npx', '-y', 'other-gateway', '--stdio', 'x']],
  [['npx', '-y', 'server-files', '/srv/mcp-proxy', 'https://a.example.com']],
  [['docker', 'run', '--name', 'mcp-proxy', 'other', 'https://a.example.com']],
  [['my-script', 'supergateway']],
  [['ls', '-l']],
])('the command line %j is rejected', async (words) => {
  await expect(importWords(...words)).rejects.toThrow(/is not a command line of supergateway or mcp-proxy/);
});

test.each([
  ['--config', 'Import the file of --config instead of the command line'],
  ['--other', 'Options and arguments that supergateway does not know are ignored: --other, 1 other word'],
])('supergateway with only %s is imported without servers and with a warning', async (option, warning) => {
  const { servers, warnings } = await importWords('supergateway', option, 'file.json');
  expect(servers).toEqual([]);
  expect(warnings).toContain(warning);
});
