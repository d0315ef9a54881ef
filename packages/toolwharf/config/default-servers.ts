import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ToolwharfError } from '../../contract/errors.ts';
import type { Config, ServerSpec } from '../../contract/settings/config.ts';
import type { NativeConfig } from '../../contract/settings/native-schema.ts';
import type { NativeServer } from '../../contract/settings/server-schema.ts';
import { findPackage } from '../kernel/find-package.ts';
import { dataDirectory } from './data-directory.ts';
import { parseConfig } from './load-config.ts';
import type { Environment } from './references.ts';

/** The sources of tokens and of the data directory. */
export interface DefaultServersOptions {
  /** The environment that contains the tokens. Default: `process.env`. */
  readonly env?: Environment;
  /** Default: `dataDirectory(env)`. */
  readonly dataDir?: string;
}

/**
 * Returns the servers that exist without configuration: `github`, `brave` and `filesystem`. `github` and `brave` are
 * enabled if their token is set. `filesystem` can access one directory only, which is created.
 */
export async function defaultServers(options: DefaultServersOptions = {}): Promise<readonly ServerSpec[]> {
  return (await defaultConfig(options)).servers;
}

/** Returns the configuration that applies without a file. */
export async function defaultConfig(options: DefaultServersOptions = {}): Promise<Config> {
  const { env = process.env, dataDir = dataDirectory(env) } = options;
  const native: NativeConfig = {
    servers: { github: github(env), brave: brave(env), filesystem: await filesystem(resolve(dataDir, 'files')) },
  };
  return parseConfig(native, { env: withoutFileOverrides(env) }).config;
}

/** Removes overrides of servers and tools, which apply to a file. Gateway overrides apply to the machine. */
function withoutFileOverrides(env: Environment): Environment {
  const isOfFile = (name: string) => /^(?:TOOLWHARF__(?!GATEWAY__)|APP_MYAI__)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfFile(name)));
}

/** A default server that is disabled until it has a token. */
export interface ServerWithoutToken {
  /** The environment variable that would hold the token. */
  readonly variable: string;
  /** The server as it is without the token. */
  readonly disabled: NativeServer;
  /** The server with a token, enabled. */
  withToken(token: string): NativeServer;
}

/** Finds a default server whose token is not in the environment. */
export function findServerWithoutToken(name: string): ServerWithoutToken | undefined {
  if (name === 'github') {
    const withToken = (token: string): NativeServer => ({
      ...github({}),
      authentication: { type: 'bearer', token },
      enabled: true,
    });
    return { variable: 'GITHUB_TOKEN', disabled: github({}), withToken };
  }
  if (name !== 'brave') return undefined;
  const withToken = (token: string): NativeServer => ({ ...brave({}), env: { BRAVE_API_KEY: token }, enabled: true });
  return { variable: 'BRAVE_API_KEY', disabled: brave({}), withToken };
}

const bravePackage = '@brave/brave-search-mcp-server@2.1.4';
const filesystemName = '@modelcontextprotocol/server-filesystem';
const filesystemPackage = `${filesystemName}@2026.8.31`;

function github(env: Environment): NativeServer {
  const variable = ['GITHUB_TOKEN', 'GITHUB_PERSONAL_ACCESS_TOKEN'].find((name) => env[name]);
  return {
    url: 'https://api.githubcopilot.com/mcp/',
    transport: 'http',
    description: 'GitHub: repositories, issues, pull requests',
    authentication: { type: 'bearer', token: `\${${variable ?? 'GITHUB_TOKEN'}}` },
    enabled: variable !== undefined,
  };
}

function brave(env: Environment): NativeServer {
  return {
    command: 'npx',
    args: ['-y', bravePackage],
    env: { BRAVE_API_KEY: '${BRAVE_API_KEY}' },
    description: 'Brave Search: web, news, images',
    enabled: Boolean(env.BRAVE_API_KEY),
  };
}

async function filesystem(directory: string): Promise<NativeServer> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const message = `The directory '${directory}' for the filesystem server can't be created`;
    throw new ToolwharfError('CONFIG_INVALID', message, { cause, data: { directory } });
  }
  const installed = installedFilesystem();
  return {
    command: installed ? process.execPath : 'npx',
    args: installed ? [installed, directory] : ['-y', filesystemPackage, directory],
    description: `Files in ${directory}`,
  };
}

/**
 * Returns the filesystem server that is installed with Toolwharf, which starts without a download. The working
 * directory is not searched, because its content is untrusted.
 */
function installedFilesystem(): string | undefined {
  // A bundle of CommonJS has no `import.meta.url`.
  const root = import.meta.url && findPackage(filesystemName, import.meta.url);
  if (!root) return undefined;
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const program = bin?.['mcp-server-filesystem'];
  return program === undefined ? undefined : join(root, program);
}
