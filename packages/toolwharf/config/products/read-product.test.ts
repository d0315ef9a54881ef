import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { importClientConfig } from '../import-client-config.ts';
import { parseConfigText } from '../load-config.ts';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../test/fixtures/config/products/${name}`, import.meta.url));
const importFixture = (name: string) => importClientConfig(fixture(name), { env: {} });

test.each([
  ['mcphub/servers.json', 'mcp-hub'],
  ['1mcp/mcp.json', '1mcp'],
  ['metamcp.json', 'metamcp'],
  ['supergateway.json', 'supergateway'],
  ['mcp-proxy.json', 'mcp-proxy'],
])(
  'the import recognizes %s as a file of %s and writes a toolwharf.yaml with the same servers',
  async (name, client) => {
    const imported = await importFixture(name);
    expect(imported.client).toBe(client);
    const { config } = parseConfigText(stringify(imported.nativeConfig), 'toolwharf.yaml', { env: {} });
    expect(config.dialect).toBe('native');
    expect(config.servers).toEqual(imported.servers);
  },
);

test.each(['metamcp.json', 'supergateway.json'])('warnings about %s contain no secrets', async (name) => {
  expect((await importFixture(name)).warnings.join('\n')).not.toContain('hunter2');
});

describe('a file of mcp-hub', () => {
  test('a file of mcp-hub is imported with its tool filters, and commands become variables', async () => {
    const { nativeConfig, warnings } = await importFixture('mcphub/servers.json');
    expect(nativeConfig).toEqual({
      servers: {
        notes: {
          description: 'Notes of the team',
          command: 'npx',
          args: ['-y', 'notes-mcp', '${NOTES_ROOT}'],
          env: { NOTES_ROOT: '${NOTES_ROOT}', API_TOKEN: '${API_TOKEN}', LOG_LEVEL: 'warn' },
          cwd: '/srv/notes',
          deny: ['delete_note'],
        },
        remote: {
          url: 'https://api.example.com/mcp',
          headers: { 'X-Team': '${TEAM}' },
          authentication: { type: 'bearer', token: '${AUTHORIZATION}' },
          enabled: false,
        },
        computed: { command: 'server', args: ['--secret', '${cmd: op read op://vault/secret}'], enabled: false },
      },
    });
    expect(warnings).toEqual([
      "Native server 'neovim' is left out: it is code of the Neovim plugin",
      'Server \'notes\': set API_TOKEN before you start Toolwharf, which runs no commands: API_TOKEN="$(op read op://vault/notes/token)"',
      "Server 'notes': 'disabled_prompts' is not imported, so all prompts of the server are offered: list the prompts to offer under 'prompts' of the server",
      "Server 'notes': 'autoApprove' is not imported. To be asked about the other calls, set toolbox.approval to { mode: trusted-only, trustedTools: ['notes/read_note', 'notes/list_notes'] }",
      "Server 'notes': not imported, because Toolwharf has no equivalent: dev",
      'Server \'remote\': set AUTHORIZATION before you start Toolwharf, which runs no commands: AUTHORIZATION="$(op read op://vault/api/token)"',
      "Server 'computed' is disabled: Toolwharf runs no commands in args; write the value and enable it",
      "Server 'notes': a ${VAR} in 'args' or inside a longer text is not replaced; write its value",
    ]);
  });

  test('a file of mcp-hub is recognized by its keys whatever its name', async () => {
    const { client } = await importClientConfig(
      { mcpServers: { a: { command: 'x', dev: { cwd: '/x' } } } },
      { env: {} },
    );
    expect(client).toBe('mcp-hub');
  });
});

describe('a file of 1MCP', () => {
  test('a file of 1MCP is imported with tags as profiles, and passes only the variables that its filter names', async () => {
    const { nativeConfig } = await importFixture('1mcp/mcp.json');
    expect(nativeConfig).toEqual({
      servers: {
        files: {
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem', '/data'],
          env: { NODE_ENV: 'production', API_KEY: '${API_KEY}', HTTP_PROXY: '${HTTP_PROXY}' },
          deny: ['write_file'],
          timeout: 30_000,
        },
        search: {
          url: 'https://search.example.com/mcp',
          transport: 'http',
          authentication: { type: 'oauth', clientId: 'one', scope: 'read' },
          allow: ['query'],
          prompts: ['ask'],
        },
        all: { command: 'tool-server', args: ['--fast'], inheritEnv: true },
        staging: { command: 'x', enabled: false },
      },
      profiles: {
        files: { servers: ['files', 'search'] },
        'local-data': { servers: ['files'] },
        web: { servers: ['search'] },
      },
    });
  });

  test('a file of 1MCP is imported with a warning for each setting that is not', async () => {
    const { warnings } = await importFixture('1mcp/mcp.json');
    expect(warnings).toEqual([
      "Template 'project' is left out: Toolwharf starts a server once, not for each project of a client",
      "Server 'files': patterns in 'envFilter' are not imported, list the variables under 'env': NODE_*, !SECRET_*",
      "Server 'files': 'disabledResources' is not imported, so all resources of the server are offered: list the URIs to offer under 'resources' of a profile",
      "Server 'files': not imported, because Toolwharf has no equivalent: maxRestarts, connectionTimeout",
      "Server 'search': 'oauth.autoRegister' is not imported: without a clientId, Toolwharf registers itself",
      "Server 'staging' is disabled: 'disabled' is a template",
      'Tags that cannot be names of profiles are not imported: default',
      'Groups of servers are profiles now, each with its own address: /mcp/files, /mcp/local-data, /mcp/web',
    ]);
  });
});

test('a file of MetaMCP is imported with its tokens, and a warning about servers of one user', async () => {
  const { nativeConfig, warnings } = await importFixture('metamcp.json');
  expect(nativeConfig).toEqual({
    servers: {
      HackerNews: { transport: 'stdio', command: 'uvx', args: ['mcp-hn'], env: { LOG: '${HN_LOG}' } },
      crm: {
        transport: 'http',
        url: 'https://crm.example.com/mcp',
        headers: { 'X-Tenant': 'acme' },
        authentication: { type: 'bearer', token: 'hunter2hunter2' },
        description: 'Customers',
      },
      tickets: {
        transport: 'sse',
        url: 'https://tickets.example.com/sse',
        enabled: false,
        authentication: { type: 'oauth', clientId: 'metamcp', clientSecret: 'hunter2', scope: 'read write' },
      },
    },
  });
  expect(warnings).toEqual([
    "Server 'crm' belonged to one user: every caller whose profile contains the server can use it now",
    "Server 'tickets': not imported, because Toolwharf discovers the authorization server: token_endpoint",
    expect.stringContaining("Server 'crm' has secrets in plain text: authentication.token"),
    expect.stringContaining("Server 'tickets' has secrets in plain text: authentication.clientSecret"),
  ]);
});

test('a file of supergateway is imported with its combined servers as a profile, without its keys', async () => {
  const { nativeConfig, warnings } = await importFixture('supergateway.json');
  expect(nativeConfig).toEqual({
    servers: {
      git: { command: 'uvx', args: ['mcp-server-git', '--repository', '/srv/my repo'] },
      logs: { command: 'sh', args: ['-c', 'tail -f log | log-server'] },
      remote: {
        url: 'https://mcp.example.com/mcp',
        transport: 'http',
        authentication: { type: 'bearer', token: 'hunter2' },
      },
      'Both tools-git': { command: 'other-git' },
      time: { command: 'uvx', args: ['mcp-server-time'] },
    },
    profiles: { 'both-tools': { servers: ['Both tools-git', 'time'] } },
  });
  expect(warnings).toEqual([
    'The file: API keys are not imported. Create keys with `toolwharf keys create`, and set gateway.requireAuthentication to require them on this machine too',
    "The file: 'cors' is not imported: Toolwharf answers no web pages of other origins",
    'The file: not imported, because Toolwharf has its own address and log: port, host',
    "Server 'git': 'headers' are not imported: supergateway added them to its answers",
    expect.stringContaining("Server 'remote' has secrets in plain text: authentication.token"),
    'Groups of servers are profiles now, each with its own address: /mcp/both-tools',
  ]);
});

test('a file of mcp-proxy is imported with a warning about tokens that each client sent', async () => {
  const { nativeConfig, warnings } = await importFixture('mcp-proxy.json');
  expect(nativeConfig).toEqual({
    servers: {
      fetch: { enabled: true, timeout: 60_000, command: 'uvx', args: ['mcp-server-fetch'], transport: 'stdio' },
      github: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'], transport: 'stdio' },
    },
  });
  expect(warnings).toEqual([
    "Server 'github': 'headerToEnv' is not imported: all clients use one process, with the variables under 'env' (GITHUB_PERSONAL_ACCESS_TOKEN)",
  ]);
});

describe('a server that a client reaches through a proxy', () => {
  test('a server behind a proxy is reached directly, with the headers and the token of the proxy', async () => {
    const { nativeConfig, warnings } = await importClientConfig(
      {
        mcpServers: {
          a: {
            command: 'npx',
            args: ['-y', 'supergateway', '--streamableHttp', 'https://a.example.com/mcp', '--header', 'X-Team: ops'],
          },
          b: {
            command: 'uvx',
            args: ['mcp-proxy', 'https://b.example.com/sse'],
            env: { API_ACCESS_TOKEN: '${B}', X: '1' },
          },
        },
      },
      { env: {} },
    );
    expect(nativeConfig).toEqual({
      servers: {
        a: { transport: 'http', url: 'https://a.example.com/mcp', headers: { 'X-Team': 'ops' } },
        b: {
          transport: 'auto',
          url: 'https://b.example.com/sse',
          authentication: { type: 'bearer', token: '${B}' },
        },
      },
    });
    expect(warnings).toEqual([
      "Server 'a': Toolwharf connects to its URL directly, without supergateway",
      "Server 'b': Toolwharf connects to its URL directly, without mcp-proxy",
      "Server 'b': variables of the proxy are not imported: X",
    ]);
  });

  test('a server of a client stays as it is if the proxy runs a program', async () => {
    const server = { command: 'npx', args: ['-y', 'supergateway', '--stdio', 'uvx mcp-server-git'] };
    const { nativeConfig } = await importClientConfig({ mcpServers: { a: server } }, { env: {} });
    expect(nativeConfig).toEqual({ servers: { a: server } });
  });
});
