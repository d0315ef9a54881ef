import { basename, dirname, extname } from 'node:path';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { convertEach, convertKeys, type KeyReader, mapOf, omit, renameTo, textsIn, type Warn } from './product.ts';

/** Clients whose files do not list their servers as most clients do. */
export type OtherClientName = 'codex' | 'zed' | 'opencode' | 'goose' | 'continue';

export interface OtherClientFile {
  readonly client: OtherClientName | undefined;
  readonly document: PlainObject;
}

/** Converts the file of a client that does not have a map `mcpServers` to one that has. Undefined for any other file. */
export function readOtherClient(document: PlainObject, warn: Warn, file = ''): OtherClientFile | undefined {
  const { context_servers: zed, extensions, mcpServers, mcp, mcp_servers: codex } = document;
  if (isPlainMap(zed)) return convert('zed', zed, (name, server) => fromZed(name, server, warn));
  if (isPlainMap(extensions) && isGoose(extensions)) {
    const servers = pick(extensions, ({ type }) => !builtIn.has(type ?? ''));
    return convert('goose', servers, (_name, server) => fromGoose(server));
  }
  const openCode = isPlainMap(mcp) ? (isPlainMap(mcp.servers) ? mcp.servers : mcp) : {};
  if (hasSome(openCode, ({ type }) => type === 'local' || type === 'remote'))
    return convert('opencode', openCode, (_name, server) => fromOpenCode(server));
  if (isPlainMap(codex) && extname(file) === '.toml')
    return convert('codex', codex, (_name, server) => fromCodex(server));
  if (isContinue(document, mcpServers)) {
    const named = mcpServers.map((server) => [String(server.name), server] as const);
    return convert('continue', Object.fromEntries(named), (_name, server) => fromContinue(server));
  }
  if (isPlainMap(mcpServers) && basename(dirname(file)) === '.gemini')
    return { ...convert('codex', mcpServers, (_name, server) => fromGemini(server)), client: undefined };
  return undefined;
}

function convert(
  client: OtherClientName,
  servers: PlainObject,
  toServer: (name: string, server: PlainObject) => PlainObject,
): OtherClientFile {
  return { client, document: { mcpServers: convertEach(servers, toServer) } };
}

const enabled: KeyReader = (value, server) => {
  server.disabled = value === false;
};

function fromZed(name: string, source: PlainObject, warn: Warn): PlainObject {
  if (source.command === undefined && source.url === undefined)
    warn(`Server '${name}' is an extension of Zed: add the program that it starts`);
  const readers = new Map<string, KeyReader>([
    ['source', omit],
    ['settings', omit],
    ['enabled', enabled],
    [
      'command',
      (value, server) => {
        // Older versions have the program and its arguments under `command`.
        if (!isPlainMap(value)) server.command = value;
        else Object.assign(server, { command: value.path ?? null, args: value.args ?? [], env: value.env ?? {} });
      },
    ],
  ]);
  return convertKeys(source, readers);
}

/** Extensions that are part of Goose. */
const builtIn = new Set<PlainData>(['builtin', 'platform', 'frontend', 'inline_python']);

function isGoose(extensions: PlainObject): boolean {
  return hasSome(extensions, ({ type, cmd, uri }) => cmd !== undefined || uri !== undefined || builtIn.has(type ?? ''));
}

function fromGoose(source: PlainObject): PlainObject {
  const readers = new Map<string, KeyReader>([
    ...['name', 'description', 'display_name', 'bundled', 'available_tools'].map((key) => [key, omit] as const),
    ['enabled', enabled],
    ['cmd', renameTo('command')],
    ['uri', renameTo('url')],
    ['envs', addToEnv],
    ['env_keys', fromEnvironment],
    ['type', (value, server) => void (value !== 'stdio' && Object.assign(server, { type: value }))],
  ]);
  return convertKeys(source, readers);
}

function fromOpenCode(source: PlainObject): PlainObject {
  const readers = new Map<string, KeyReader>([
    ['type', omit],
    ['enabled', enabled],
    [
      'command',
      (value, server) => {
        const [command = '', ...args] = Array.isArray(value) ? textsIn(value) : [String(value)];
        Object.assign(server, { command: ours(command), args: args.map(ours) });
      },
    ],
    ['environment', (value, server) => void Object.assign(server, { env: eachText(value, ours) })],
    ['headers', (value, server) => void Object.assign(server, { headers: eachText(value, ours) })],
    // Only whether OpenCode signs in; Toolwharf finds out by itself.
    ['oauth', (value, server) => void (isPlainMap(value) && Object.assign(server, { oauth: value }))],
  ]);
  return convertKeys(source, readers);

  function ours(text: string): string {
    return text.replace(/\{(env|file):([^{}]+)\}/g, (_whole, kind: string, name: string) =>
      kind === 'env' ? `\${${name}}` : `\${file:${name}}`,
    );
  }
}

function fromCodex(source: PlainObject): PlainObject {
  const readers = new Map<string, KeyReader>([
    ['enabled', enabled],
    ['required', omit],
    ['startup_timeout_sec', omit],
    ['startup_timeout_ms', omit],
    ['tool_timeout_sec', (value, server) => void Object.assign(server, { timeout: seconds(value) })],
    ['enabled_tools', renameTo('allow')],
    ['disabled_tools', renameTo('deny')],
    ['env', addToEnv],
    ['env_vars', fromEnvironment],
    ['http_headers', (value, server) => void Object.assign(mapIn(server, 'headers'), mapOf(value))],
    [
      'env_http_headers',
      (value, server) =>
        void Object.assign(
          mapIn(server, 'headers'),
          eachText(value, (name) => `\${${name}}`),
        ),
    ],
    [
      'bearer_token_env_var',
      (value, server) => void Object.assign(mapIn(server, 'headers'), { Authorization: `Bearer \${${String(value)}}` }),
    ],
  ]);
  return convertKeys(source, readers);
}

function fromContinue(source: PlainObject): PlainObject {
  const readers = new Map<string, KeyReader>([
    ['name', omit],
    ['faviconUrl', omit],
    [
      'requestOptions',
      (value, server) => void Object.assign(mapIn(server, 'headers'), eachText(mapOf(value).headers, ours)),
    ],
    ['env', (value, server) => void Object.assign(server, { env: eachText(value, ours) })],
    ['type', (value, server) => void (value !== 'stdio' && Object.assign(server, { type: value }))],
  ]);
  return convertKeys(source, readers);

  function ours(text: string): string {
    return text.replace(
      /\$\{\{\s*(?:secrets|inputs)\.([A-Za-z0-9_]+)\s*\}\}/g,
      (_whole, name: string) => `\${${name}}`,
    );
  }
}

function fromGemini(source: PlainObject): PlainObject {
  const readers = new Map<string, KeyReader>([
    ['trust', omit],
    ['description', omit],
    ['includeTools', renameTo('allow')],
    ['excludeTools', renameTo('deny')],
    ['httpUrl', (value, server) => void Object.assign(server, { type: 'http', url: value })],
    // Streamable HTTP or SSE: the connection finds out.
    ['env', (value, server) => void Object.assign(server, { env: eachText(value, ours) })],
    ['headers', (value, server) => void Object.assign(server, { headers: eachText(value, ours) })],
  ]);
  return convertKeys(source, readers);

  function ours(text: string): string {
    return text.replace(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_whole, name: string) => `\${${name}}`);
  }
}

const addToEnv: KeyReader = (value, server) => void Object.assign(mapIn(server, 'env'), mapOf(value));

/** Variables whose values the client reads from its environment or keychain. */
const fromEnvironment: KeyReader = (value, server) => {
  for (const name of textsIn(value)) mapIn(server, 'env')[name] ??= `\${${name}}`;
};

function mapIn(server: PlainObject, key: string): PlainObject {
  const current = server[key];
  const map = isPlainMap(current) ? current : {};
  server[key] = map;
  return map;
}

function seconds(value: PlainData): PlainData {
  return typeof value === 'number' ? value * 1_000 : value;
}

function eachText(value: PlainData | undefined, change: (text: string) => string): PlainObject {
  const entries = Object.entries(mapOf(value)).map(([key, text]) => [
    key,
    typeof text === 'string' ? change(text) : text,
  ]);
  return Object.fromEntries(entries);
}

function isContinue(document: PlainObject, servers: PlainData | undefined): servers is PlainObject[] {
  if (!Array.isArray(servers) || servers.length === 0) return false;
  return document.schema === 'v1' && servers.every((server) => isPlainMap(server) && typeof server.name === 'string');
}

function hasSome(servers: PlainObject, matches: (server: PlainObject) => boolean): boolean {
  return Object.values(servers).some((server) => isPlainMap(server) && matches(server));
}

function pick(servers: PlainObject, matches: (server: PlainObject) => boolean): PlainObject {
  return Object.fromEntries(Object.entries(servers).filter(([, server]) => isPlainMap(server) && matches(server)));
}
