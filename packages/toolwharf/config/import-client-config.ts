import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { isSecretName, isSecretValue } from '../../contract/secret-names.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { nativeDefaults } from '../../contract/settings/defaults.ts';
import { durationText } from '../../contract/settings/durations.ts';
import { isRefusedUrl } from '../../contract/settings/server-url.ts';
import { type Assembled, type AssembleOptions, assembleConfig } from './assemble-config.ts';
import { toCamelCase } from './canonical-keys.ts';
import { layoutOf } from './dialects/client.ts';
import { copyPlain, isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import { configError, formatPath, type Problem, problemLine, valueAt } from './problems.ts';
import { type OtherClientName, readOtherClient } from './products/other-clients.ts';
import type { ProductName } from './products/product.ts';
import { readProxyCommand } from './products/proxy-command.ts';
import { readProduct } from './products/read-product.ts';
import { readConfigFile } from './read-config-file.ts';
import { looksLikeJson, readDocument } from './read-document.ts';
import { type Environment, parseReference } from './references.ts';

/** The program that an imported file belongs to, or the dialect of the file. */
export type ClientName =
  | 'claude-desktop'
  | 'claude-code'
  | 'cursor'
  | 'windsurf'
  | 'vscode'
  | OtherClientName
  | 'gemini-cli'
  | 'cline'
  | 'jetbrains'
  | 'lm-studio'
  | 'squidbot'
  | 'myai'
  | 'bridge'
  | ProductName
  | 'unknown';

export interface ImportOptions {
  /** The environment for variables in URLs. Default: `process.env`. */
  readonly env?: Environment;
  /** The path of the file that an object was read from. It is named in messages, and tells which client the file belongs to. */
  readonly file?: string;
}

/** The servers of an imported configuration. */
export interface ImportedConfig {
  readonly servers: readonly ServerSpec[];
  /** The content of a `toolwharf.yaml` that configures the same servers. */
  readonly nativeConfig: JsonObject;
  readonly warnings: readonly string[];
  readonly client: ClientName;
}

/**
 * Converts the configuration file of another MCP client or gateway, or one of another dialect, to a native
 * configuration. Omits or disables a server that cannot be imported, and adds a warning.
 *
 * @example
 * ```ts
 * import { importClientConfig } from 'toolwharf';
 *
 * const { servers } = await importClientConfig({ mcpServers: { files: { command: 'my-server' } } });
 * console.log(servers.map(({ name }) => name)); // [ 'files' ]
 * ```
 */
export async function importClientConfig(
  source: string | JsonObject,
  options: ImportOptions = {},
): Promise<ImportedConfig> {
  const file = typeof source === 'string' ? source : options.file;
  const document = typeof source === 'string' ? await readClientFile(source) : { value: source };
  const { value: plain, findings } = copyPlain(document.value);
  if (findings.length > 0) {
    throw configError(
      findings.map(({ path, message }) => ({ file, path: formatPath(path), message })),
      file,
    );
  }
  const { env = process.env } = options;
  const warnings = new Set<string>();
  const warn = (warning: string) => warnings.add(warning);
  const other = isPlainMap(plain) ? readOtherClient(plain, warn, file) : undefined;
  const { document: readable, product } = other
    ? { document: other.document }
    : isPlainMap(plain)
      ? readProduct(plain, warn, file)
      : { document: plain };
  const layout = isPlainMap(readable) ? layoutOf(readable) : undefined;
  if (!layout && isPlainMap(plain) && serverKeys.some((path) => valueAt(plain, path) !== undefined))
    return importDialect(plain, { env: withoutOverrides(env), keepReferences: true, file });
  if (!layout || !isPlainMap(layout.servers)) {
    const message = `has no servers: expected ${serverKeys.map((path) => `'${formatPath(path)}'`).join(', ')}`;
    throw configError([{ file, path: '', message }], file);
  }
  const taken: [string, PlainData][] = [];
  // Each server is checked separately, so that an invalid server does not prevent the import of the others.
  for (const [name, server] of Object.entries(layout.servers)) {
    const single = { [layout.vscode ? 'servers' : 'mcpServers']: { [name]: server }, inputs: layout.inputs ?? [] };
    const outcome = attempt(single, { env: withoutOverrides(env), keepReferences: true, file });
    if ('reason' in outcome) warnings.add(`Server '${name}' is left out: ${outcome.reason}`);
    else {
      for (const warning of outcome.warnings) warnings.add(warning);
      const [spec] = outcome.config.servers;
      const native = isPlainMap(outcome.native.servers) ? outcome.native.servers[name] : undefined;
      if (spec && isPlainMap(native)) taken.push([name, switchedOffIfInsecure(spec, native)]);
      if (isPlainMap(native)) warnOfSecrets(name, native, (warning) => warnings.add(warning));
    }
  }
  const nativeConfig: PlainObject = { servers: Object.fromEntries(taken) };
  const profiles = isPlainMap(readable) && product ? readable.profiles : undefined;
  if (isPlainMap(profiles)) {
    nativeConfig.profiles = profiles;
    const addresses = Object.keys(profiles).map((name) => `/mcp/${name}`);
    warnings.add(`Groups of servers are profiles now, each with its own address: ${addresses.join(', ')}`);
  }
  const { servers } = assembleConfig(nativeConfig, { env: withoutOverrides(env) }).config;
  const client = other?.client ?? product ?? clientOf(file, layout.servers, layout.vscode);
  return { servers, nativeConfig, warnings: [...warnings], client };
}

/** Imports the servers that a command line of supergateway or mcp-proxy serves, such as `npx -y supergateway --stdio …`. */
export async function importCommandLine(
  words: readonly string[],
  options: ImportOptions = {},
): Promise<ImportedConfig> {
  const found: string[] = [];
  const proxied = readProxyCommand(words, (message) => found.push(message));
  if (!proxied) {
    const message = 'is not a command line of supergateway or mcp-proxy';
    throw configError([{ path: words[0] ?? '', message }]);
  }
  const imported = await importClientConfig({ mcpServers: proxied.servers }, options);
  return { ...imported, client: proxied.product, warnings: [...found, ...imported.warnings] };
}

/** The keys under which a file of any dialect lists its servers. */
const serverKeys = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['mcp_servers'],
  ['tools', 'mcp_servers'],
  ['myai'],
];

/** Converts a whole file of another dialect. The defaults of that dialect that differ from the native ones are written out. */
function importDialect(document: PlainObject, options: AssembleOptions): ImportedConfig {
  const { config, native, warnings: found } = assembleConfig(document, options);
  const warnings = [...found];
  const servers = config.servers.map((spec) => {
    const written = isPlainMap(native.servers) ? native.servers[spec.name] : undefined;
    const server = withDefaults(spec, isPlainMap(written) ? written : {});
    warnOfSecrets(spec.name, server, (warning) => warnings.push(warning));
    return [spec.name, switchedOffIfInsecure(spec, server)] as const;
  });
  const { naming, localToolsMustBeConfigured } = config.toolbox;
  const toolbox = isPlainMap(native.toolbox) ? native.toolbox : {};
  if (naming !== nativeDefaults.naming && !hasKey(toolbox, 'naming')) toolbox.naming = naming;
  if (localToolsMustBeConfigured)
    warnings.push("Local tools no longer need an entry under 'tools': the native format has no such rule");
  const nativeConfig: PlainObject = { ...native, servers: Object.fromEntries(servers) };
  if (Object.keys(toolbox).length > 0) nativeConfig.toolbox = toolbox;
  const client = config.dialect === 'native' || config.dialect === 'client' ? 'unknown' : config.dialect;
  return { servers: assembleConfig(nativeConfig, options).config.servers, nativeConfig, warnings, client };
}

function withDefaults(spec: ServerSpec, server: PlainObject): PlainObject {
  const complete: PlainObject = { ...server };
  if (spec.required !== nativeDefaults.required && !hasKey(server, 'required')) complete.required = spec.required;
  if (spec.prompts && !hasKey(server, 'prompts')) complete.prompts = [...spec.prompts];
  const { timeoutMs, ...limits } = spec.defaultTool;
  if (!isDeepStrictEqual(spec.defaultTool, { ...nativeDefaults.defaultTool, timeoutMs })) {
    delete complete.default_tool_config;
    complete.defaultToolConfig = { ...limits, timeout: durationText(timeoutMs) };
  }
  return complete;
}

function hasKey(map: PlainObject, key: string): boolean {
  return Object.keys(map).some((written) => toCamelCase(written) === key);
}

async function readClientFile(file: string): Promise<{ readonly value: unknown }> {
  const text = await readConfigFile(file);
  const document = readDocument(text, { json: looksLikeJson(text, file) });
  if (document.problems.length === 0) return document;
  throw configError(
    document.problems.map((problem) => ({ ...problem, file, path: '' })),
    file,
  );
}

function attempt(document: unknown, options: AssembleOptions): Assembled | { readonly reason: string } {
  try {
    return assembleConfig(document, options);
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || !Array.isArray(cause.data.problems)) throw cause;
    const problems: readonly Problem[] = cause.data.problems;
    return {
      reason: problems.map(({ file: _, line: __, column: ___, ...problem }) => problemLine(problem)).join('; '),
    };
  }
}

/** Disables a server that uses plain http to another machine. A native file that enables such a server is rejected. */
function switchedOffIfInsecure(spec: ServerSpec, native: PlainObject): PlainObject {
  const { target } = spec;
  const insecure = 'url' in target && isRefusedUrl(target.url, target);
  return insecure ? { ...native, enabled: false } : native;
}

function warnOfSecrets(name: string, server: PlainObject, warn: (message: string) => void): void {
  const names = ['env', 'headers', 'authentication'].flatMap((place) => {
    const map = server[place];
    const entries = isPlainMap(map) ? Object.entries(map) : [];
    return entries.filter(([key, value]) => isPlainSecret(key, value)).map(([key]) => `${place}.${key}`);
  });
  if (names.length === 0) return;
  const variable = names[0]
    ?.split('.')[1]
    ?.toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');
  warn(`Server '${name}' has secrets in plain text: ${names.join(', ')}. Better: a variable, such as \${${variable}}`);
}

function isPlainSecret(key: string, value: PlainData): boolean {
  if (typeof value !== 'string' || value === '' || parseReference(value)) return false;
  return isSecretName(key) || isSecretValue(value);
}

/**
 * Removes the variables that override the configuration of a running Toolwharf. They do not apply to the imported file.
 */
function withoutOverrides(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:TOOLWHARF__|APP_MYAI__)/.test(name)));
}

function clientOf(file: string | undefined, servers: PlainObject, vscode: boolean): ClientName {
  const name = file === undefined ? '' : basename(file);
  const folder = file === undefined ? '' : basename(dirname(file));
  const entries = Object.values(servers).filter(isPlainMap);
  if (vscode) return 'vscode';
  if (name === 'claude_desktop_config.json') return 'claude-desktop';
  if (name === '.mcp.json' || name === '.claude.json') return 'claude-code';
  if (folder === '.cursor') return 'cursor';
  if (folder === '.gemini') return 'gemini-cli';
  if (folder === '.lmstudio') return 'lm-studio';
  if (folder === 'mcp' && basename(dirname(dirname(file ?? ''))) === '.junie') return 'jetbrains';
  if (name === 'cline_mcp_settings.json') return 'cline';
  if (name === 'mcp_config.json' || entries.some((entry) => entry.serverUrl !== undefined)) return 'windsurf';
  return entries.some((entry) => entry.type !== undefined) ? 'claude-code' : 'unknown';
}
