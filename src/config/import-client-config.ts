import { basename, dirname } from 'node:path';
import { ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { isSecretName, isSecretValue } from '../kernel/secret-names.ts';
import { type Assembled, type AssembleOptions, assembleConfig } from './assemble-config.ts';
import type { ServerSpec } from './config.ts';
import { layoutOf } from './dialects/client.ts';
import { copyPlain, isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import { configError, formatPath, type Problem, problemLine } from './problems.ts';
import { readConfigFile } from './read-config-file.ts';
import { looksLikeJson, readDocument } from './read-document.ts';
import { type Environment, parseReference } from './references.ts';
import { isInsecureUrl } from './server-url.ts';

export type ClientName = 'claude-desktop' | 'claude-code' | 'cursor' | 'windsurf' | 'vscode' | 'unknown';

export interface ImportOptions {
  /** The environment for variables in URLs. Default: `process.env`. */
  readonly env?: Environment;
}

/** The servers of an imported client configuration. */
export interface ImportedConfig {
  readonly servers: readonly ServerSpec[];
  /** The content of a `toolwharf.yaml` that configures the same servers. */
  readonly nativeConfig: JsonObject;
  readonly warnings: readonly string[];
  readonly client: ClientName;
}

/**
 * Imports the servers from the configuration file of another MCP client. Omits or disables a server that cannot be
 * imported, and adds a warning.
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
  const file = typeof source === 'string' ? source : undefined;
  const document = typeof source === 'string' ? await readClientFile(source) : { value: source };
  const { value: plain, findings } = copyPlain(document.value);
  if (findings.length > 0) {
    throw configError(
      findings.map(({ path, message }) => ({ file, path: formatPath(path), message })),
      file,
    );
  }
  const layout = isPlainMap(plain) ? layoutOf(plain) : undefined;
  if (!layout || !isPlainMap(layout.servers)) {
    const message = "is not a file of an MCP client: there is no 'mcpServers' and no 'servers' in it";
    throw configError([{ file, path: '', message }], file);
  }
  const { env = process.env } = options;
  const warnings = new Set<string>();
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
  const { servers } = assembleConfig(nativeConfig, { env: withoutOverrides(env) }).config;
  return { servers, nativeConfig, warnings: [...warnings], client: clientOf(file, layout.servers, layout.vscode) };
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
  const insecure = target.transport !== 'stdio' && isInsecureUrl(target.url) && !target.allowInsecure;
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
  if (name === 'mcp_config.json' || entries.some((entry) => entry.serverUrl !== undefined)) return 'windsurf';
  return entries.some((entry) => entry.type !== undefined) ? 'claude-code' : 'unknown';
}
