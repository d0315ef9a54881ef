import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { entryText } from './entry-text.ts';
import { type ClientId, type ClientSetup, clientEntryName, clientIds, mcpClients } from './mcp-clients.ts';

const at = (platform: NodeJS.Platform, env: Record<string, string> = { HOME: '/home/ada' }) => ({
  env,
  platform,
  cwd: '/home/ada/project',
});
const name = clientEntryName('default');
const files = (id: ClientId, scope: 'user' | 'project', where: ReturnType<typeof at>) =>
  mcpClients[id].files(scope, where, name);

test.each<[ClientId, NodeJS.Platform, readonly string[]]>([
  ['claude-code', 'linux', ['/home/ada/.claude.json']],
  ['claude-desktop', 'linux', ['/home/ada/.config/Claude/claude_desktop_config.json']],
  ['claude-desktop', 'darwin', ['/home/ada/Library/Application Support/Claude/claude_desktop_config.json']],
  ['cursor', 'darwin', ['/home/ada/.cursor/mcp.json']],
  ['vscode', 'linux', ['/home/ada/.config/Code/User/mcp.json']],
  ['vscode', 'darwin', ['/home/ada/Library/Application Support/Code/User/mcp.json']],
  ['windsurf', 'linux', ['/home/ada/.codeium/windsurf/mcp_config.json']],
  ['codex', 'darwin', ['/home/ada/.codex/config.toml']],
  ['gemini-cli', 'linux', ['/home/ada/.gemini/settings.json']],
  ['zed', 'darwin', ['/home/ada/.config/zed/settings.json']],
  ['opencode', 'linux', ['/home/ada/.config/opencode/opencode.json', '/home/ada/.config/opencode/opencode.jsonc']],
  ['goose', 'darwin', ['/home/ada/.config/goose/config.yaml']],
  [
    'cline',
    'linux',
    [
      '/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      '/home/ada/.cline/data/settings/cline_mcp_settings.json',
    ],
  ],
  ['continue', 'linux', ['/home/ada/.continue/mcpServers/toolwharf.yaml']],
  ['jetbrains', 'linux', ['/home/ada/.junie/mcp/mcp.json']],
  ['lm-studio', 'linux', ['/home/ada/.lmstudio/mcp.json']],
])('the configuration file of %s on %s is found', (client, platform, expected) => {
  expect(files(client, 'user', at(platform))).toEqual(expected);
});

test('on Windows the configuration files are under USERPROFILE and APPDATA', () => {
  const env = { USERPROFILE: '/Users/ada', APPDATA: '/Users/ada/AppData/Roaming' };
  const found = Object.fromEntries(clientIds.map((id) => [id, files(id, 'user', at('win32', env))[0]]));
  expect(found).toMatchObject({
    'claude-code': '/Users/ada/.claude.json',
    'claude-desktop': '/Users/ada/AppData/Roaming/Claude/claude_desktop_config.json',
    cursor: '/Users/ada/.cursor/mcp.json',
    vscode: '/Users/ada/AppData/Roaming/Code/User/mcp.json',
    windsurf: '/Users/ada/.codeium/windsurf/mcp_config.json',
    zed: '/Users/ada/AppData/Roaming/Zed/settings.json',
    goose: '/Users/ada/AppData/Roaming/Block/goose/config/config.yaml',
  });
});

test('Codex has its file in CODEX_HOME, and other programs in XDG_CONFIG_HOME, where these are set', () => {
  const env = { HOME: '/home/ada', CODEX_HOME: '/srv/codex', XDG_CONFIG_HOME: '/srv/config' };
  expect(files('codex', 'user', at('linux', env))).toEqual(['/srv/codex/config.toml']);
  expect(files('goose', 'user', at('linux', env))).toEqual(['/srv/config/goose/config.yaml']);
});

test("a project's configuration file is in the project directory, if the client has one", () => {
  const found = clientIds.flatMap((id) => {
    const [file] = files(id, 'project', at('linux', { HOME: '/home/ada', CODEX_HOME: '/srv/codex' }));
    return file === undefined ? [] : [[id, file.replace('/home/ada/project/', '')]];
  });
  expect(Object.fromEntries(found)).toEqual({
    'claude-code': '.mcp.json',
    cursor: '.cursor/mcp.json',
    vscode: '.vscode/mcp.json',
    codex: '.codex/config.toml',
    'gemini-cli': '.gemini/settings.json',
    zed: '.zed/settings.json',
    opencode: 'opencode.json',
    continue: '.continue/mcpServers/toolwharf.yaml',
    jetbrains: '.junie/mcp/mcp.json',
  });
});

const url = 'http://127.0.0.1:7420/mcp';
const entries = (setup: ClientSetup) =>
  Object.fromEntries(clientIds.map((id) => [id, mcpClients[id].entry(setup, name)]));

test('each client gets an entry in its own format', () => {
  const goose = { name, description: 'Tools of Toolwharf', enabled: true, timeout: 300 };
  expect(entries({ kind: 'http', url })).toEqual({
    'claude-code': { type: 'http', url },
    'claude-desktop': { url },
    cursor: { url },
    vscode: { type: 'http', url },
    windsurf: { serverUrl: url },
    codex: { url },
    'gemini-cli': { httpUrl: url },
    zed: { url },
    opencode: { type: 'remote', url },
    goose: { ...goose, type: 'streamable_http', uri: url },
    cline: { type: 'streamableHttp', url },
    continue: { name, type: 'streamable-http', url },
    jetbrains: { url },
    'lm-studio': { url },
  });
  const program = { command: 'node', args: ['main.js', 'stdio'] };
  expect(entries({ kind: 'stdio', ...program })).toEqual({
    ...Object.fromEntries(clientIds.map((id) => [id, program])),
    'claude-code': { type: 'stdio', ...program },
    vscode: { type: 'stdio', ...program },
    opencode: { type: 'local', command: ['node', 'main.js', 'stdio'] },
    goose: { ...goose, type: 'stdio', cmd: 'node', args: program.args },
    continue: { name, ...program },
  });
});

test('each client that takes a URL sends the key as a bearer token', () => {
  const headers = { Authorization: 'Bearer KEY' };
  expect(entries({ kind: 'http', url, key: 'KEY' })).toMatchObject({
    ...Object.fromEntries(clientIds.map((id) => [id, { headers }])),
    codex: { http_headers: headers },
    continue: { requestOptions: { headers } },
  });
});

test('the text of an entry is the file that its client documents', () => {
  const text = (id: ClientId, key?: string) =>
    entryText(mcpClients[id], name, mcpClients[id].entry({ kind: 'http', url, key }, name));
  expect(text('codex', 'KEY')).toBe(
    `[mcp_servers.toolwharf]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer KEY" }\n`,
  );
  expect(JSON.parse(text('zed'))).toEqual({ context_servers: { toolwharf: { url } } });
  expect(JSON.parse(text('opencode'))).toEqual({ mcp: { toolwharf: { type: 'remote', url } } });
  expect(parse(text('goose'))).toMatchObject({ extensions: { toolwharf: { type: 'streamable_http', uri: url } } });
  expect(parse(text('continue'))).toEqual({
    name,
    version: '1.0.0',
    schema: 'v1',
    mcpServers: [{ name, type: 'streamable-http', url }],
  });
});

test('links for Cursor, VS Code and LM Studio contain the entry', () => {
  const link = (id: ClientId) =>
    mcpClients[id].installLink?.('toolwharf-a&b', mcpClients[id].entry({ kind: 'http', url }, name)) ?? '';
  const cursor = new URL(link('cursor'));
  expect(`${cursor.protocol}//${cursor.host}${cursor.pathname}`).toBe('cursor://anysphere.cursor-deeplink/mcp/install');
  expect(cursor.searchParams.get('name')).toBe('toolwharf-a&b');
  const decode = (text: string | null) => JSON.parse(Buffer.from(text ?? '', 'base64').toString());
  expect(decode(cursor.searchParams.get('config'))).toEqual({ url });
  const [scheme, query = ''] = link('vscode').split('?');
  expect([scheme, JSON.parse(decodeURIComponent(query))]).toEqual([
    'vscode:mcp/install',
    { name: 'toolwharf-a&b', type: 'http', url },
  ]);
  expect(decode(new URL(link('lm-studio')).searchParams.get('config'))).toEqual({ url });
});
