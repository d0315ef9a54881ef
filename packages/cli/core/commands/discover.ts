import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import {
  type ClientEnvironment,
  type ConnectScope,
  clientIds,
  type McpClient,
  mcpClients,
} from '../../../gateway/core/clients/mcp-clients.ts';
import { type ImportedConfig, importClientConfig } from '../../../toolwharf/config/import-client-config.ts';
import { looksLikeJson, readDocument } from '../../../toolwharf/config/read-document.ts';
import { canonicalJson } from '../../../toolwharf/kernel/canonical-json.ts';
import type { CommandContext } from '../command-context.ts';
import { count } from '../terminal/format.ts';
import { logLine } from '../terminal/terminal-log.ts';
import { parseToml } from './connect/edit-toml.ts';

/** The servers that MCP clients of this user and project have configured, as one native configuration. */
export async function discoverServers({
  env,
  cwd,
  terminal,
}: CommandContext): Promise<Pick<ImportedConfig, 'nativeConfig'>> {
  const at: ClientEnvironment = { env, platform: process.platform, cwd };
  const servers = new Map<string, unknown>();
  for (const id of clientIds) {
    for (const scope of ['project', 'user'] as const) {
      for (const file of await filesOf(mcpClients[id], scope, at)) {
        try {
          const imported = await importServers(file, mcpClients[id], at);
          const found = Object.entries(imported.servers).filter(([name, server]) => !isToolwharf(name, server));
          if (found.length === 0) continue;
          terminal.say(`${mcpClients[id].title}: ${count(found.length, 'server')} in ${file}`);
          for (const warning of imported.warnings) terminal.say(logLine(terminal, 'warning', warning));
          for (const [name, server] of found) add(name, id, server);
        } catch (cause) {
          terminal.say(logLine(terminal, 'warning', `Cannot read '${file}': ${messageOf(cause)}`));
        }
      }
    }
  }
  return { nativeConfig: { servers: Object.fromEntries(servers) } };

  /** Adds a server. One that has the name of another server gets the name of its client, too. */
  function add(name: string, client: string, server: unknown): void {
    let free = name;
    for (let number = 1; servers.has(free); number++) {
      if (canonicalJson(servers.get(free)) === canonicalJson(server)) return;
      free = `${name}-${client}${number === 1 ? '' : `-${number}`}`;
    }
    servers.set(free, server);
  }
}

/** The files of a client that exist. */
async function filesOf(client: McpClient, scope: ConnectScope, at: ClientEnvironment): Promise<readonly string[]> {
  const files = client.files(scope, at, 'toolwharf');
  const [first] = files;
  if (!client.wholeFile || first === undefined) return files;
  const folder = dirname(first);
  const names = await readdir(folder).catch(() => []);
  const blocks = names.filter((name) => ['.yaml', '.yml', '.json'].includes(extname(name)));
  return [join(dirname(folder), 'config.yaml'), ...blocks.map((name) => join(folder, name))];
}

interface FoundServers {
  readonly servers: JsonObject;
  readonly warnings: readonly string[];
}

const none: FoundServers = { servers: {}, warnings: [] };

async function importServers(file: string, client: McpClient, { env, cwd }: ClientEnvironment): Promise<FoundServers> {
  const document = await readObject(file);
  if (!document) return none;
  // Claude Code keeps the servers of a project that nobody else uses in the file of the user.
  const project = memberOf(document, ['projects', cwd, 'mcpServers']);
  const parts = [
    ...(client.paths.some((path) => isObject(memberOf(document, path))) || Array.isArray(document.mcpServers)
      ? [document]
      : []),
    ...(isObject(project) ? [{ mcpServers: project }] : []),
  ];
  const imported = await Promise.all(parts.map((part) => importClientConfig(part, { env, file })));
  return {
    servers: Object.assign({}, ...imported.map(({ nativeConfig }) => nativeConfig.servers)) as JsonObject,
    warnings: imported.flatMap(({ warnings }) => warnings),
  };
}

/** The object in a file; undefined for a file that does not exist or is empty. */
async function readObject(file: string): Promise<JsonObject | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return '';
    throw cause;
  });
  if (text.trim() === '') return undefined;
  if (extname(file) === '.toml') return JSON.parse(JSON.stringify(parseToml(text))) as JsonObject;
  const { value, problems } = readDocument(text, { json: looksLikeJson(text, file) });
  const [problem] = problems;
  if (problem) throw new Error(`line ${problem.line}, column ${problem.column}: ${problem.message}`);
  return isObject(value) ? value : undefined;
}

function memberOf(object: JsonObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** An entry that `toolwharf connect` wrote: a gateway is no server of its own. */
function isToolwharf(name: string, server: unknown): boolean {
  if (!/^toolwharf(?:-|$)/.test(name) || !isObject(server)) return false;
  const { url, args } = server;
  return typeof url === 'string' ? /\/mcp(?:\/[^/]+)?$/.test(url) : Array.isArray(args) && args.includes('stdio');
}
