import { expect, test } from 'vitest';
import { type ClientId, clientIds, mcpClients } from './mcp-clients.ts';

const at = (platform: NodeJS.Platform, env: Record<string, string> = { HOME: '/home/ada' }) => ({
  env,
  platform,
  cwd: '/home/ada/project',
});

test.each<[ClientId, NodeJS.Platform, string]>([
  ['claude-code', 'linux', '/home/ada/.claude.json'],
  ['claude-desktop', 'linux', '/home/ada/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'darwin', '/home/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  ['cursor', 'darwin', '/home/ada/.cursor/mcp.json'],
  ['vscode', 'linux', '/home/ada/.config/Code/User/mcp.json'],
  ['vscode', 'darwin', '/home/ada/Library/Application Support/Code/User/mcp.json'],
  ['windsurf', 'linux', '/home/ada/.codeium/windsurf/mcp_config.json'],
])('the configuration file of %s on %s is found', (client, platform, file) => {
  expect(mcpClients[client].file('user', at(platform))).toBe(file);
});

test('on Windows the configuration files are under USERPROFILE and APPDATA', () => {
  const env = { USERPROFILE: '/Users/ada', APPDATA: '/Users/ada/AppData/Roaming' };
  expect(clientIds.map((name) => mcpClients[name].file('user', at('win32', env)))).toEqual([
    '/Users/ada/.claude.json',
    '/Users/ada/AppData/Roaming/Claude/claude_desktop_config.json',
    '/Users/ada/.cursor/mcp.json',
    '/Users/ada/AppData/Roaming/Code/User/mcp.json',
    '/Users/ada/.codeium/windsurf/mcp_config.json',
  ]);
});

test("a project's configuration file is in the project directory, if the client has one", () => {
  expect(clientIds.map((name) => mcpClients[name].file('project', at('linux')))).toEqual([
    '/home/ada/project/.mcp.json',
    undefined,
    '/home/ada/project/.cursor/mcp.json',
    '/home/ada/project/.vscode/mcp.json',
    undefined,
  ]);
});

test('each client gets an entry in its own format', () => {
  const url = 'http://127.0.0.1:7420/mcp';
  expect(clientIds.map((name) => mcpClients[name].entry({ kind: 'http', url }))).toEqual([
    { type: 'http', url },
    { url },
    { url },
    { type: 'http', url },
    { serverUrl: url },
  ]);
  const program = { command: 'node', args: ['main.js', 'stdio'] };
  expect(clientIds.map((name) => mcpClients[name].entry({ kind: 'stdio', ...program }))).toEqual([
    { type: 'stdio', ...program },
    program,
    program,
    { type: 'stdio', ...program },
    program,
  ]);
});
