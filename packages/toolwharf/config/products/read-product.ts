import { basename, dirname } from 'node:path';
import { layoutOf } from '../dialects/client.ts';
import { isPlainMap, type PlainObject } from '../plain-data.ts';
import { mcpHub } from './mcp-hub.ts';
import { mcpProxy } from './mcp-proxy.ts';
import { metaMcp } from './metamcp.ts';
import { oneMcp } from './one-mcp.ts';
import { convertEach, mapOf, type ProductName, type ProductReader, textsIn, type Warn } from './product.ts';
import { readProxyCommand } from './proxy-command.ts';
import { supergateway } from './supergateway.ts';

/** A file of a product in the format of MCP clients, with profiles for the groups of servers that it had. */
export interface ReadProduct {
  readonly product?: ProductName;
  readonly document: PlainObject;
}

/**
 * Converts a file with the servers of another gateway to the format of MCP clients. Servers that were reached through
 * supergateway or mcp-proxy are reached directly. Files of other programs are returned as they are.
 */
export function readProduct(document: PlainObject, warn: Warn, file?: string): ReadProduct {
  const layout = layoutOf(document);
  if (!layout || !isPlainMap(layout.servers)) return { document };
  const servers = Object.values(layout.servers).filter(isPlainMap);
  const reader = readerOf(file) ?? readers.find(({ recognises }) => recognises(document, servers));
  const converted = reader?.convert(document, layout.servers, warn);
  const direct = convertEach(converted?.servers ?? layout.servers, (name, server) => withoutProxy(name, server, warn));
  const read: PlainObject = { [layout.vscode ? 'servers' : 'mcpServers']: direct };
  if (layout.vscode) read.inputs = layout.inputs ?? [];
  if (converted?.profiles) read.profiles = converted.profiles;
  return { product: reader?.name, document: read };
}

const readers: readonly ProductReader[] = [supergateway, oneMcp, metaMcp, mcpProxy, mcpHub];

function readerOf(file: string | undefined): ProductReader | undefined {
  const folder = file === undefined ? '' : basename(dirname(file));
  if (folder === '1mcp' || folder === '.1mcp') return oneMcp;
  return folder === 'mcphub' || folder === '.mcphub' ? mcpHub : undefined;
}

/** A client starts the proxy to reach a URL over stdio. Toolwharf connects to the URL itself. */
function withoutProxy(name: string, server: PlainObject, warn: Warn): PlainObject {
  if (typeof server.command !== 'string') return server;
  const found: string[] = [];
  const words = [server.command, ...textsIn(server.args)];
  const proxied = readProxyCommand(words, (message) => found.push(message), mapOf(server.env));
  const [target, ...others] = Object.values(proxied?.servers ?? {});
  if (!proxied || !isPlainMap(target) || others.length > 0 || target.url === undefined) return server;
  for (const message of found) warn(`Server '${name}': ${message}`);
  warn(`Server '${name}': Toolwharf connects to its URL directly, without ${proxied.product}`);
  const { command: _, args: __, env, cwd: ___, type: ____, ...settings } = server;
  const variables = Object.keys(mapOf(env)).filter((variable) => variable !== 'API_ACCESS_TOKEN');
  if (variables.length > 0) warn(`Server '${name}': variables of the proxy are not imported: ${variables.join(', ')}`);
  return { ...settings, ...target };
}
