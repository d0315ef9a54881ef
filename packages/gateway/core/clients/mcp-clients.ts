import { homedir } from 'node:os';
import { join } from 'node:path';

/** The ids of the MCP clients that `toolwharf connect` can configure. */
export const clientIds = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'windsurf',
  'codex',
  'gemini-cli',
  'zed',
  'opencode',
  'goose',
  'cline',
  'continue',
  'jetbrains',
  'lm-studio',
] as const;
export type ClientId = (typeof clientIds)[number];
export type ConnectScope = 'user' | 'project';

/** How a client connects to Toolwharf: over HTTP, or by starting `toolwharf stdio`. */
export type ClientSetup =
  | {
      readonly kind: 'http';
      readonly url: string;
      /** Sent as a bearer token; undefined if the gateway needs no authentication, or the client signs in. */
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
  /**
   * The paths that the configuration file can have. The client's file is the first that exists, or else the first. Empty
   * if the client has no file in this scope. `name` is the name of the entry.
   */
  files(scope: ConnectScope, environment: ClientEnvironment, name: string): readonly string[];
  readonly format: 'json' | 'toml' | 'yaml';
  /** The keys of the server map, outermost first: the first path that the file has, or else the last. */
  readonly paths: readonly (readonly [string, ...string[]])[];
  /** The content of the file, for a client that has one file for each entry. */
  readonly wholeFile?: (name: string, entry: object) => object;
  /** False for a client that supports stdio servers only. */
  readonly takesUrl: boolean;
  entry(setup: ClientSetup, name: string): object;
  /** The user's next step. */
  readonly next: string;
  /** A link that adds the entry when the user opens it. */
  readonly installLink?: (name: string, entry: object) => string;
}

const standard = {
  format: 'json',
  paths: [['mcpServers']],
  takesUrl: true,
  entry: plain,
} as const satisfies Partial<McpClient>;

export const mcpClients: Readonly<Record<ClientId, McpClient>> = {
  'claude-code': {
    ...standard,
    title: 'Claude Code',
    files: (scope, at) => [scope === 'project' ? join(at.cwd, '.mcp.json') : join(homeDirectory(at), '.claude.json')],
    entry: typed,
    next: 'start a new session; /mcp shows it',
  },
  'claude-desktop': {
    ...standard,
    title: 'Claude Desktop',
    files: (scope, at) =>
      scope === 'project' ? [] : [join(settingsDirectory(at), 'Claude', 'claude_desktop_config.json')],
    takesUrl: false,
    next: 'quit Claude Desktop and start it again',
  },
  cursor: {
    ...standard,
    title: 'Cursor',
    files: (scope, at) => [join(scope === 'project' ? at.cwd : homeDirectory(at), '.cursor', 'mcp.json')],
    next: 'Settings → MCP shows it',
    installLink: (name, entry) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(toBase64(entry))}`,
  },
  vscode: {
    ...standard,
    title: 'VS Code',
    files: (scope, at) => [
      scope === 'project'
        ? join(at.cwd, '.vscode', 'mcp.json')
        : join(settingsDirectory(at), 'Code', 'User', 'mcp.json'),
    ],
    paths: [['servers']],
    entry: typed,
    next: 'the command "MCP: List Servers" shows it',
    installLink: (name, entry) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`,
  },
  windsurf: {
    ...standard,
    title: 'Windsurf',
    files: (scope, at) =>
      scope === 'project' ? [] : [join(homeDirectory(at), '.codeium', 'windsurf', 'mcp_config.json')],
    entry: (setup) => (setup.kind === 'http' ? { serverUrl: setup.url, ...authorizationHeader(setup) } : plain(setup)),
    next: 'refresh the MCP servers in its settings',
  },
  codex: {
    title: 'Codex',
    files: (scope, at) => {
      const folder = join(scope === 'project' ? at.cwd : homeDirectory(at), '.codex');
      return [join((scope === 'user' && at.env.CODEX_HOME) || folder, 'config.toml')];
    },
    format: 'toml',
    paths: [['mcp_servers']],
    takesUrl: true,
    entry(setup) {
      if (setup.kind === 'stdio') return plain(setup);
      const { headers } = authorizationHeader(setup);
      return { url: setup.url, ...(headers && { http_headers: headers }) };
    },
    next: 'start a new session; /mcp shows it. If the gateway signs people in: codex mcp login NAME',
  },
  'gemini-cli': {
    ...standard,
    title: 'Gemini CLI',
    files: (scope, at) => [join(scope === 'project' ? at.cwd : homeDirectory(at), '.gemini', 'settings.json')],
    // `url` is the address of an SSE endpoint.
    entry: (setup) => (setup.kind === 'http' ? { httpUrl: setup.url, ...authorizationHeader(setup) } : plain(setup)),
    next: 'start a new session; /mcp shows it',
  },
  zed: {
    ...standard,
    title: 'Zed',
    files(scope, at) {
      if (scope === 'project') return [join(at.cwd, '.zed', 'settings.json')];
      return [
        at.platform === 'win32'
          ? join(settingsDirectory(at), 'Zed', 'settings.json')
          : join(xdgDirectory(at), 'zed', 'settings.json'),
      ];
    },
    paths: [['context_servers']],
    next: 'Settings → AI → MCP Servers shows it',
  },
  opencode: {
    ...standard,
    title: 'OpenCode',
    files: (scope, at) =>
      ['opencode.json', 'opencode.jsonc'].map((name) =>
        scope === 'project' ? join(at.cwd, name) : join(xdgDirectory(at), 'opencode', name),
      ),
    // Version 2 has `mcp.servers` and still reads `mcp`, the only key of version 1.
    paths: [['mcp', 'servers'], ['mcp']],
    entry: (setup) =>
      setup.kind === 'http'
        ? { type: 'remote', url: setup.url, ...authorizationHeader(setup) }
        : { type: 'local', command: [setup.command, ...setup.args] },
    next: 'start OpenCode again; `opencode mcp list` shows it',
  },
  goose: {
    title: 'Goose',
    files(scope, at) {
      if (scope === 'project') return [];
      return [
        at.platform === 'win32'
          ? join(settingsDirectory(at), 'Block', 'goose', 'config', 'config.yaml')
          : join(xdgDirectory(at), 'goose', 'config.yaml'),
      ];
    },
    format: 'yaml',
    paths: [['extensions']],
    takesUrl: true,
    entry: (setup, name) => ({
      name,
      description: 'Tools of Toolwharf',
      enabled: true,
      timeout: 300,
      ...(setup.kind === 'http'
        ? { type: 'streamable_http', uri: setup.url, ...authorizationHeader(setup) }
        : { type: 'stdio', cmd: setup.command, args: setup.args }),
    }),
    next: 'start a new session; `goose configure` shows it',
  },
  cline: {
    ...standard,
    title: 'Cline',
    files: (scope, at) =>
      scope === 'project'
        ? []
        : [
            join(settingsDirectory(at), 'Code', 'User', ...clineFolder, clineFile),
            join(homeDirectory(at), '.cline', 'data', 'settings', clineFile),
          ],
    // Without the type, Cline uses SSE.
    entry: (setup) => (setup.kind === 'http' ? { type: 'streamableHttp', ...plain(setup) } : plain(setup)),
    next: 'the MCP Servers icon of Cline shows it',
  },
  continue: {
    title: 'Continue',
    files: (scope, at, name) => [
      join(
        scope === 'project' ? at.cwd : homeDirectory(at),
        '.continue',
        'mcpServers',
        `${encodeURIComponent(name)}.yaml`,
      ),
    ],
    format: 'yaml',
    paths: [['mcpServers']],
    wholeFile: (name, entry) => ({ name, version: '1.0.0', schema: 'v1', mcpServers: [entry] }),
    takesUrl: true,
    entry(setup, name) {
      if (setup.kind === 'stdio') return { name, ...plain(setup) };
      const { headers } = authorizationHeader(setup);
      return { name, type: 'streamable-http', url: setup.url, ...(headers && { requestOptions: { headers } }) };
    },
    next: 'its settings show it under Tools; it is used in agent mode',
  },
  jetbrains: {
    ...standard,
    title: 'JetBrains Junie',
    files: (scope, at) => [join(scope === 'project' ? at.cwd : homeDirectory(at), '.junie', 'mcp', 'mcp.json')],
    takesUrl: false,
    next: 'Settings → Tools → Junie → MCP Settings shows it; AI Assistant takes the same entry under Settings → Tools → AI Assistant → Model Context Protocol',
  },
  'lm-studio': {
    ...standard,
    title: 'LM Studio',
    files: (scope, at) => (scope === 'project' ? [] : [join(homeDirectory(at), '.lmstudio', 'mcp.json')]),
    next: 'switch it on in the Program tab',
    installLink: (name, entry) =>
      `lmstudio://add_mcp?name=${encodeURIComponent(name)}&config=${encodeURIComponent(toBase64(entry))}`,
  },
};

const clineFolder = ['globalStorage', 'saoudrizwan.claude-dev', 'settings'];
const clineFile = 'cline_mcp_settings.json';

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

function authorizationHeader({ key }: { readonly key?: string }): { readonly headers?: Record<string, string> } {
  return key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
}

function toBase64(entry: object): string {
  return Buffer.from(JSON.stringify(entry)).toString('base64');
}

function homeDirectory({ env, platform }: ClientEnvironment): string {
  return (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir();
}

/** The operating system's directory for user settings. */
function settingsDirectory(at: ClientEnvironment): string {
  if (at.platform === 'darwin') return join(homeDirectory(at), 'Library', 'Application Support');
  if (at.platform === 'win32') return at.env.APPDATA || join(homeDirectory(at), 'AppData', 'Roaming');
  return xdgDirectory(at);
}

/** The directory of programs that use `~/.config` on every system. */
function xdgDirectory(at: ClientEnvironment): string {
  return at.env.XDG_CONFIG_HOME || join(homeDirectory(at), '.config');
}
