import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadConfig, parseConfig } from '../load-config.ts';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../test/fixtures/config/clients/${name}`, import.meta.url));
const load = (name: string, env = {}) => loadConfig(fixture(name), { env });
const loadServer = (server: object, env = {}) => {
  const { config, warnings } = parseConfig({ mcpServers: { a: server } }, { env });
  return { ...config.servers[0], warnings };
};

describe('configuration files of other MCP clients load unchanged [A4]', () => {
  test('a file of Claude Desktop loads unchanged', async () => {
    const { config, notes } = await load('claude_desktop_config.json');
    expect(config.dialect).toBe('client');
    expect(config.servers).toMatchObject([
      { name: 'filesystem', required: false, target: { transport: 'stdio', command: 'npx' } },
      { name: 'brave-search', target: { env: { BRAVE_API_KEY: 'BSA-fixture-not-a-real-key', LOG_LEVEL: 'info' } } },
    ]);
    expect(notes).toEqual(['Keys of another program are ignored: globalShortcut']);
  });

  test('a file of Claude Code loads with http, sse and stdio servers, variables with defaults, and OAuth', async () => {
    const { config, warnings } = await load('.mcp.json', { EVENTS_KEY: 'never-shown', DB_SCHEMA: 'sales' });
    expect(config.servers).toMatchObject([
      {
        name: 'github',
        target: {
          transport: 'http',
          headers: { 'X-MCP-Toolsets': 'repos,issues' },
          authentication: { type: 'bearer', token: '${GITHUB_TOKEN}' },
        },
      },
      {
        target: { transport: 'sse', url: 'https://events.example.com/sse', headers: { 'X-Api-Key': '${EVENTS_KEY}' } },
      },
      {
        target: {
          transport: 'stdio',
          args: ['-y', '@example/postgres-mcp', '--schema', 'sales'],
          env: { DATABASE_URL: '${DATABASE_URL}', CACHE_DIR: '/tmp' },
        },
        timeoutMs: 300_000,
      },
      {
        target: {
          authentication: {
            type: 'oauth',
            clientId: 'wiki-client',
            scope: 'read write',
            redirectUrl: 'http://localhost:8765/callback',
          },
        },
      },
    ]);
    expect(config.servers[0]?.target).not.toHaveProperty('headers.Authorization');
    expect(warnings).toEqual(["Server 'database': the timeout is limited to 300 s"]);
    expect(JSON.stringify({ config, warnings })).not.toContain('never-shown');
  });

  test('a file of Cursor loads with ${env:…}, ${workspaceFolder}, auth and tabs', async () => {
    const { config, warnings } = await load('.cursor/mcp.json');
    const workspace = dirname(dirname(fixture('.cursor/mcp.json')));
    expect(config.servers).toMatchObject([
      { target: { transport: 'auto', authentication: { type: 'bearer', token: '${LINEAR_TOKEN}' } } },
      {
        target: {
          command: 'python',
          args: [`${workspace}/tools/docs_server.py`],
          env: { API_KEY: '${DOCS_KEY}', PORT: '8080' },
        },
      },
      {
        target: {
          authentication: {
            type: 'oauth',
            clientId: '${CRM_CLIENT_ID}',
            clientSecret: '${CRM_CLIENT_SECRET}',
            scope: 'read write',
          },
        },
      },
    ]);
    expect(warnings).toEqual(["Server 'docs': 'envFile' is not read; put the variables into 'env'"]);
  });

  test('a file of Windsurf loads with serverUrl, disabled and disabledTools', async () => {
    const { config, warnings } = await load('mcp_config.json');
    expect(config.servers).toMatchObject([
      {
        name: 'talk',
        deny: ['delete_room'],
        target: { url: 'https://talk.example.com/mcp', headers: { 'X-Token': '${TALK_TOKEN}' } },
      },
      { name: 'local', enabled: false },
      { name: 'intranet', target: { allowInsecure: false } },
    ]);
    expect(warnings).toEqual([
      "Server 'local': 'alwaysAllow' is not known here and is ignored",
      expect.stringMatching(/^Server 'intranet' will not be connected/),
    ]);
  });

  test('a file of VS Code loads with comments, trailing commas, and inputs, which become variables to set', async () => {
    const { config, warnings } = await load('.vscode/mcp.json');
    expect(config.dialect).toBe('client');
    expect(config.servers).toMatchObject([
      { name: 'brave', target: { env: { BRAVE_API_KEY: '${BRAVE_API_KEY}', REGION: '${REGION:-eu}' } } },
      { name: 'github', target: { transport: 'auto', authentication: { type: 'bearer', token: '${GITHUB_PAT}' } } },
    ]);
    expect(warnings).toEqual([
      "The input 'brave-api-key' is asked for by VS Code; here, set the environment variable BRAVE_API_KEY instead",
      "The input 'region' is asked for by VS Code; here, set the environment variable REGION instead",
      "The input 'github_pat' is asked for by VS Code; here, set the environment variable GITHUB_PAT instead",
    ]);
  });

  test('settings.json of VS Code and a file without inputs load', () => {
    const servers = { a: { type: 'stdio', command: 'x' } };
    expect(parseConfig({ mcp: { servers, inputs: [] } }, { env: {} }).config).toMatchObject({
      dialect: 'client',
      servers: [{ name: 'a' }],
    });
    expect(parseConfig({ servers }, { env: {} }).config.dialect).toBe('client');
    expect(parseConfig({ servers, toolbox: {} }, { env: {} }).config.dialect).toBe('client');
  });
});

describe('a server in the configuration file of another client', () => {
  test('a server in the file of another client warns about the keys of other programs and accepts the keys of Toolwharf', () => {
    const server = loadServer({ command: 'x', autoApprove: ['y'], trusted: true, retry_attempts: 1 });
    expect(server).toMatchObject({
      trusted: true,
      retryAttempts: 1,
      warnings: ["Server 'a': 'autoApprove' is not known here and is ignored"],
    });
  });

  test('a server in the file of another client is rejected when its transport is unknown [A9]', () => {
    expect(() => loadServer({ type: 'ws', url: 'https://x.y' })).toThrow(
      /mcpServers\.a\.type {2}unknown transport of server 'a', found "ws"; allowed: stdio, http, sse, auto/,
    );
  });

  test.each(['streamable-http', 'streamableHttp', 'http'])(
    'a server in the file of another client uses Streamable HTTP when its type is %s',
    (type) => {
      expect(loadServer({ type, url: 'https://x.y' }).target).toMatchObject({ transport: 'http' });
    },
  );

  test('a server in the file of another client has problems with the paths of the original file', () => {
    expect(() => loadServer({ serverUrl: 'nope' })).toThrow(/mcpServers\.a\.serverUrl {2}must be a URL/);
    expect(() => loadServer({ command: ['x'] })).toThrow(/mcpServers\.a\.command {2}must be text/);
    expect(() => loadServer({ command: 'x', url: 'https://x.y' })).toThrow(/has both/);
    expect(() => parseConfig({ mcpServers: [] }, { env: {} })).toThrow(/mcpServers {2}must be a map of server names/);
    expect(() => parseConfig({ mcpServers: { a: 5 } }, { env: {} })).toThrow(
      /mcpServers\.a {2}server 'a' must be a map/,
    );
  });

  test('a server in the file of another client has a timeout in seconds or in milliseconds, depending on its magnitude', () => {
    expect(loadServer({ command: 'x', timeout: 60 }).timeoutMs).toBe(60_000);
    expect(loadServer({ command: 'x', timeout: 60_000 }).timeoutMs).toBe(60_000);
    expect(() => loadServer({ command: 'x', timeout: -1 })).toThrow(/mcpServers\.a\.timeout {2}must be positive/);
  });

  test('a server in the file of another client has variables replaced inside longer texts, and missing variables named in a warning', () => {
    const { target, warnings } = loadServer(
      { command: '${userHome}/bin/x', args: ['--dir=${env:DIR}', '${A:-b}'], env: { U: 'x-${env:NONE}-y' } },
      { DIR: '/data' },
    );
    expect(target).toMatchObject({ command: `${homedir()}/bin/x`, args: ['--dir=/data', 'b'], env: { U: 'x--y' } });
    expect(warnings).toEqual(["Server 'a': environment variable 'NONE' is not set"]);
  });

  test('a server in the file of another client is rejected with its path when an argument refers to a file that does not exist', () => {
    expect(() => loadServer({ command: 'x', args: ['--key=${file:/nonexistent/key}'] })).toThrow(
      /mcpServers\.a {2}The file '\/nonexistent\/key' of a \$\{file:…\} value can't be read/,
    );
    expect(loadServer({ command: 'x', env: { KEY: '${file:/nonexistent/key}' } }).target).toMatchObject({
      env: { KEY: '${file:/nonexistent/key}' },
    });
  });

  test('a server in the file of another client retains ${workspaceFolder} with a warning when the workspace is unknown', () => {
    const { target, warnings } = loadServer({ command: 'x', args: ['${workspaceFolder}/y'] });
    expect(target).toMatchObject({ args: ['${workspaceFolder}/y'] });
    expect(warnings).toEqual([expect.stringMatching(/\$\{workspaceFolder\} is unknown/)]);
  });

  test('a server in the file of another client ignores empty fields', () => {
    expect(loadServer({ command: 'x', url: '', env: { A: null } }).target).toEqual({
      transport: 'stdio',
      command: 'x',
      args: [],
      env: {},
    });
  });
});
