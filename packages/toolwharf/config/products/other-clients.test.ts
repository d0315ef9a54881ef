import { expect, test } from 'vitest';
import { importClientConfig } from '../import-client-config.ts';

/** The client, the servers and the warnings of a file with this content. */
async function read(document: object, file = '/home/ada/settings.json') {
  const { client, nativeConfig, warnings } = await importClientConfig(document as never, { env: {}, file });
  return { client, servers: nativeConfig.servers, warnings };
}

test('the servers of a Codex file are imported, with variables instead of the values that Codex reads', async () => {
  const mcp_servers = {
    docs: { url: 'https://docs.example.com/mcp', bearer_token_env_var: 'DOCS_TOKEN', tool_timeout_sec: 45 },
    files: { command: 'npx', args: ['server-files'], env: { MODE: 'fast' }, env_vars: ['HOME_DIR'], enabled: false },
    far: { url: 'https://far.example.com', http_headers: { 'X-A': 'b' }, env_http_headers: { 'X-C': 'D' } },
  };
  expect(await read({ model: 'x', mcp_servers }, '/home/ada/.codex/config.toml')).toEqual({
    client: 'codex',
    servers: {
      docs: {
        url: 'https://docs.example.com/mcp',
        authentication: { type: 'bearer', token: '${DOCS_TOKEN}' },
        timeout: 45_000,
      },
      files: {
        command: 'npx',
        args: ['server-files'],
        env: { MODE: 'fast', HOME_DIR: '${HOME_DIR}' },
        enabled: false,
      },
      far: { url: 'https://far.example.com', headers: { 'X-A': 'b', 'X-C': '${D}' } },
    },
    warnings: [],
  });
});

test('the servers of Gemini CLI are imported: httpUrl is Streamable HTTP, and url may be SSE', async () => {
  const mcpServers = {
    old: { url: 'https://a.example.com/sse', trust: true },
    new: { httpUrl: 'https://b.example.com/mcp', headers: { 'X-Key': '$B_KEY' }, includeTools: ['x'] },
  };
  expect(await read({ mcpServers }, '/home/ada/.gemini/settings.json')).toEqual({
    client: 'gemini-cli',
    servers: {
      old: { url: 'https://a.example.com/sse' },
      new: { transport: 'http', url: 'https://b.example.com/mcp', headers: { 'X-Key': '${B_KEY}' }, allow: ['x'] },
    },
    warnings: [],
  });
});

test('the servers of Zed are imported, also in the format of its older versions', async () => {
  const context_servers = {
    a: { command: 'a', args: ['b'], env: { C: 'd' } },
    b: { source: 'custom', command: { path: 'b', args: ['c'] }, settings: {} },
    c: { url: 'https://c.example.com/mcp', enabled: false },
    d: { source: 'extension', settings: {} },
  };
  const { client, servers, warnings } = await read({ theme: 'x', context_servers });
  expect({ client, servers }).toEqual({
    client: 'zed',
    servers: {
      a: { command: 'a', args: ['b'], env: { C: 'd' } },
      b: { command: 'b', args: ['c'], env: {} },
      c: { url: 'https://c.example.com/mcp', enabled: false },
    },
  });
  expect(warnings[0]).toBe("Server 'd' is an extension of Zed: add the program that it starts");
});

test.each([
  ['version 1', (servers: object) => ({ mcp: servers })],
  ['version 2', (servers: object) => ({ mcp: { servers } })],
])('the servers of OpenCode %s are imported', async (_version, wrap) => {
  const servers = {
    a: { type: 'local', command: ['bun', 'x', 'server'], environment: { T: '{env:TOKEN}' }, enabled: true },
    b: { type: 'remote', url: 'https://b.example.com/mcp', headers: { Authorization: 'Bearer {env:B}' }, oauth: false },
  };
  expect(await read(wrap(servers))).toEqual({
    client: 'opencode',
    servers: {
      a: { command: 'bun', args: ['x', 'server'], env: { T: '${TOKEN}' }, enabled: true },
      b: { url: 'https://b.example.com/mcp', authentication: { type: 'bearer', token: '${B}' } },
    },
    warnings: [],
  });
});

test('the extensions of Goose that are MCP servers are imported', async () => {
  const extensions = {
    developer: { type: 'builtin', name: 'developer', enabled: true, bundled: true, timeout: 300 },
    a: { type: 'stdio', name: 'a', cmd: 'npx', args: ['a'], envs: { B: 'c' }, env_keys: ['D'], enabled: false },
    e: { type: 'streamable_http', name: 'e', uri: 'https://e.example.com/mcp', enabled: true, timeout: 60 },
  };
  expect(await read({ GOOSE_MODEL: 'x', extensions }, '/home/ada/.config/goose/config.yaml')).toEqual({
    client: 'goose',
    servers: {
      a: { command: 'npx', args: ['a'], env: { B: 'c', D: '${D}' }, enabled: false },
      e: { transport: 'http', url: 'https://e.example.com/mcp', enabled: true, timeout: 60_000 },
    },
    warnings: [],
  });
});

test('the servers of Continue are imported', async () => {
  const mcpServers = [
    { name: 'a', type: 'stdio', command: 'npx', args: ['a'], env: { T: '${{ secrets.TOKEN }}' } },
    {
      name: 'b',
      type: 'streamable-http',
      url: 'https://b.example.com/mcp',
      requestOptions: { headers: { Authorization: 'Bearer ${{ secrets.B }}' } },
    },
  ];
  expect(await read({ name: 'x', version: '1.0.0', schema: 'v1', mcpServers })).toEqual({
    client: 'continue',
    servers: {
      a: { command: 'npx', args: ['a'], env: { T: '${TOKEN}' } },
      b: { transport: 'http', url: 'https://b.example.com/mcp', authentication: { type: 'bearer', token: '${B}' } },
    },
    warnings: [],
  });
});

test.each([
  ['.junie/mcp/mcp.json', 'jetbrains'],
  ['.lmstudio/mcp.json', 'lm-studio'],
  ['settings/cline_mcp_settings.json', 'cline'],
])('%s is recognized as the file of %s', async (name, client) => {
  const mcpServers = { a: { type: 'streamableHttp', url: 'https://a.example.com/mcp' } };
  expect(await read({ mcpServers }, `/home/ada/${name}`)).toEqual({
    client,
    servers: { a: { transport: 'http', url: 'https://a.example.com/mcp' } },
    warnings: [],
  });
});
