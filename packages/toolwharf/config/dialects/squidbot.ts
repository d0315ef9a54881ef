import { nativeDefaults } from '../../../contract/settings/defaults.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import type { DialectReader } from './dialect.ts';
import { addOwnKeys } from './own-keys.ts';

/** `mcp_servers`, at the top level or under `tools`. Other keys than Toolwharf's own belong to the bot. */
export const squidbotDialect: DialectReader = {
  name: 'squidbot',
  defaults: { ...nativeDefaults, insecureUrl: 'warning' },
  recognises: (document) =>
    'mcp_servers' in document || (isPlainMap(document.tools) && 'mcp_servers' in document.tools),
  translate(document, context) {
    const nested = isPlainMap(document.tools) && 'mcp_servers' in document.tools;
    const servers = nested && isPlainMap(document.tools) ? document.tools.mcp_servers : document.mcp_servers;
    context.origins.set(['servers'], nested ? ['tools', 'mcp_servers'] : ['mcp_servers']);
    const native = isPlainMap(servers)
      ? Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, toNative(server)]))
      : (servers ?? null);
    if (isPlainMap(document.tools))
      context.ignore(
        Object.keys(document.tools)
          .filter((key) => key !== 'mcp_servers')
          .map((key) => ['tools', key]),
      );
    const used = isPlainMap(document.tools) ? ['mcp_servers', 'tools'] : ['mcp_servers'];
    return addOwnKeys({ servers: native }, document, used, context);
  },
};

function toNative(server: PlainData): PlainData {
  if (!isPlainMap(server)) return server;
  // The bot also writes empty fields of the other transport.
  const used = Object.entries(server).filter(([key, value]) => !(fields.has(key) && isEmpty(value)));
  const native: PlainObject = Object.fromEntries(used);
  // The bot uses "http" for both HTTP transports.
  if (native.transport === 'http') native.transport = 'auto';
  return native;
}

const fields = new Set(['command', 'args', 'env', 'cwd', 'url']);

function isEmpty(value: PlainData): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}
