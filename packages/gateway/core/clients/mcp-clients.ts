import { homedir } from 'node:os';
import { join } from 'node:path';

/** The ids of the MCP clients that `toolwharf connect` can configure. */
export const clientIds = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf'] as const;
export type ClientId = (typeof clientIds)[number];
export type ConnectScope = 'user' | 'project';

/** How a client connects to Toolwharf: over HTTP, or by starting `toolwharf stdio`. */
export type ClientSetup =
  | {
      readonly kind: 'http';
      readonly url: string;
      /** Sent as a bearer token; undefined if the gateway needs no authentication. */
      readonly key?: string;
    }
  | ({ readonly kind: 'stdio' } & StdioProgram);

/** The command that starts Toolwharf as a stdio MCP server. */
export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** The values that determine the path of a client's configuration file. */
export interface ClientEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
}

/** The configuration file of an MCP client and the format of its entries. */
export interface McpClient {
  readonly title: string;
  /** The path of the configuration file; undefined if the client has none in this scope. */
  file(scope: ConnectScope, environment: ClientEnvironment): string | undefined;
  /** The top-level key of the server map. */
  readonly key: 'mcpServers' | 'servers';
  /** False for a client that supports stdio servers only. */
  readonly takesUrl: boolean;
  entry(setup: ClientSetup): object;
  /** The user's next step. */
  readonly next: string;
}

export const mcpClients: Readonly<Record<ClientId, McpClient>> = {
  'claude-code': {
    title: 'Claude Code',
    file: (scope, at) => (scope === 'project' ? join(at.cwd, '.mcp.json') : join(homeDirectory(at), '.claude.json')),
    key: 'mcpServers',
    takesUrl: true,
    entry: typed,
    next: 'start a new session; /mcp shows it',
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (scope, at) =>
      scope === 'project' ? undefined : join(settingsDirectory(at), 'Claude', 'claude_desktop_config.json'),
    key: 'mcpServers',
    takesUrl: false,
    entry: plain,
    next: 'quit Claude Desktop and start it again',
  },
  cursor: {
    title: 'Cursor',
    file: (scope, at) => join(scope === 'project' ? at.cwd : homeDirectory(at), '.cursor', 'mcp.json'),
    key: 'mcpServers',
    takesUrl: true,
    entry: plain,
    next: 'Settings → MCP shows it',
  },
  vscode: {
    title: 'VS Code',
    file: (scope, at) =>
      scope === 'project'
        ? join(at.cwd, '.vscode', 'mcp.json')
        : join(settingsDirectory(at), 'Code', 'User', 'mcp.json'),
    key: 'servers',
    takesUrl: true,
    entry: typed,
    next: 'the command "MCP: List Servers" shows it',
  },
  windsurf: {
    title: 'Windsurf',
    file: (scope, at) =>
      scope === 'project' ? undefined : join(homeDirectory(at), '.codeium', 'windsurf', 'mcp_config.json'),
    key: 'mcpServers',
    takesUrl: true,
    entry: (setup) => (setup.kind === 'http' ? { serverUrl: setup.url, ...authorizationHeader(setup) } : plain(setup)),
    next: 'refresh the MCP servers in its settings',
  },
};

/** The setup for clients that support stdio servers only. */
export function stdioSetup({ command, args }: StdioProgram, profile: string): ClientSetup {
  return { kind: 'stdio', command, args: [...args, ...(profile === 'default' ? [] : ['--profile', profile])] };
}

/** The name of a profile's entry in a client's configuration file. */
export function clientEntryName(profile: string): string {
  return profile === 'default' ? 'toolwharf' : `toolwharf-${profile}`;
}

/** The path of a profile's MCP endpoint. */
export function endpointPath(profile: string): string {
  return profile === 'default' ? '/mcp' : `/mcp/${encodeURIComponent(profile)}`;
}

function typed(setup: ClientSetup): object {
  return { type: setup.kind, ...plain(setup) };
}

function plain(setup: ClientSetup): object {
  return setup.kind === 'http'
    ? { url: setup.url, ...authorizationHeader(setup) }
    : { command: setup.command, args: setup.args };
}

function authorizationHeader({ key }: { readonly key?: string }): object {
  return key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
}

function homeDirectory({ env, platform }: ClientEnvironment): string {
  return (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir();
}

/** The operating system's directory for user settings. */
function settingsDirectory(at: ClientEnvironment): string {
  if (at.platform === 'darwin') return join(homeDirectory(at), 'Library', 'Application Support');
  if (at.platform === 'win32') return at.env.APPDATA || join(homeDirectory(at), 'AppData', 'Roaming');
  return at.env.XDG_CONFIG_HOME || join(homeDirectory(at), '.config');
}
