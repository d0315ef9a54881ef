import { homedir } from 'node:os';
import { join } from 'node:path';

export const clientNames = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf'] as const;
export type ClientId = (typeof clientNames)[number];
export type ConnectScope = 'user' | 'project';

/** How a client reaches Toolwharf. */
export type Way =
  | {
      readonly kind: 'http';
      readonly url: string;
      /** Sent as bearer token; none where the gateway asks for none. */
      readonly key?: string;
    }
  | ({ readonly kind: 'stdio' } & StdioProgram);

/** What starts Toolwharf as a program that speaks MCP over its pipes. */
export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
}

/** What is particular to an MCP client: where its file is, and how an entry is written there. */
export interface McpClient {
  readonly title: string;
  /** Undefined where it has no such file. */
  file(scope: ConnectScope, surroundings: Surroundings): string | undefined;
  /** The key that holds the servers. */
  readonly key: 'mcpServers' | 'servers';
  /** Whether its file can name an address; otherwise it only starts programs. */
  readonly takesUrl: boolean;
  entry(way: Way): object;
  /** What the person does next. */
  readonly next: string;
}

export const mcpClients: Readonly<Record<ClientId, McpClient>> = {
  'claude-code': {
    title: 'Claude Code',
    file: (scope, at) => (scope === 'project' ? join(at.cwd, '.mcp.json') : join(homeOf(at), '.claude.json')),
    key: 'mcpServers',
    takesUrl: true,
    entry: typed,
    next: 'start a new session; /mcp shows it',
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (scope, at) =>
      scope === 'project' ? undefined : join(settingsOf(at), 'Claude', 'claude_desktop_config.json'),
    key: 'mcpServers',
    takesUrl: false,
    entry: plain,
    next: 'quit Claude Desktop and start it again',
  },
  cursor: {
    title: 'Cursor',
    file: (scope, at) => join(scope === 'project' ? at.cwd : homeOf(at), '.cursor', 'mcp.json'),
    key: 'mcpServers',
    takesUrl: true,
    entry: plain,
    next: 'Settings → MCP shows it',
  },
  vscode: {
    title: 'VS Code',
    file: (scope, at) =>
      scope === 'project' ? join(at.cwd, '.vscode', 'mcp.json') : join(settingsOf(at), 'Code', 'User', 'mcp.json'),
    key: 'servers',
    takesUrl: true,
    entry: typed,
    next: 'the command "MCP: List Servers" shows it',
  },
  windsurf: {
    title: 'Windsurf',
    file: (scope, at) =>
      scope === 'project' ? undefined : join(homeOf(at), '.codeium', 'windsurf', 'mcp_config.json'),
    key: 'mcpServers',
    takesUrl: true,
    entry: (way) => (way.kind === 'http' ? { serverUrl: way.url, ...headersOf(way) } : plain(way)),
    next: 'refresh the MCP servers in its settings',
  },
};

/** The way for clients that only start programs. */
export function stdioWay({ command, args }: StdioProgram, profile: string): Way {
  return { kind: 'stdio', command, args: [...args, ...(profile === 'default' ? [] : ['--profile', profile])] };
}

/** The name under which a profile of ours stands in a client's file. */
export function entryNameOf(profile: string): string {
  return profile === 'default' ? 'toolwharf' : `toolwharf-${profile}`;
}

/** Where a profile's endpoint is. */
export function endpointPath(profile: string): string {
  return profile === 'default' ? '/mcp' : `/mcp/${encodeURIComponent(profile)}`;
}

function typed(way: Way): object {
  return { type: way.kind, ...plain(way) };
}

function plain(way: Way): object {
  return way.kind === 'http' ? { url: way.url, ...headersOf(way) } : { command: way.command, args: way.args };
}

function headersOf({ key }: { readonly key?: string }): object {
  return key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
}

function homeOf({ env, platform }: Surroundings): string {
  return (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir();
}

/** Where programs keep a user's settings. */
function settingsOf(at: Surroundings): string {
  if (at.platform === 'darwin') return join(homeOf(at), 'Library', 'Application Support');
  if (at.platform === 'win32') return at.env.APPDATA || join(homeOf(at), 'AppData', 'Roaming');
  return at.env.XDG_CONFIG_HOME || join(homeOf(at), '.config');
}
