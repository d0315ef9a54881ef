import { nativeDefaults } from '../../../contract/settings/defaults.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { formatPath, type Path, valueAt } from '../problems.ts';
import { toClientServer } from './client-server.ts';
import { createClientVariables } from './client-variables.ts';
import type { DialectReader } from './dialect.ts';
import { addOwnKeys } from './own-keys.ts';

/** Files of MCP clients: `mcpServers` (Claude, Cursor, Windsurf, …) and VS Code's `servers` with `inputs`. */
export const clientDialect: DialectReader = {
  name: 'client',
  defaults: { ...nativeDefaults, insecureUrl: 'warning' },
  recognises: (document) => layoutOf(document) !== undefined,
  translate(document, context): PlainObject {
    const layout = layoutOf(document);
    if (!layout) return {};
    context.origins.set(['servers'], layout.path);
    const used = [layout.path[0] as string, 'inputs', '$schema'];
    const { servers } = layout;
    for (const [name, path] of layout.records ?? []) {
      context.origins.set(['servers', name], path);
      const stated = valueAt(document, [...path, 'name']);
      if (stated !== name)
        context.warn(`Another server is named '${String(stated)}': ${formatPath(path)} is called '${name}' here`);
    }
    if (!isPlainMap(servers)) return addOwnKeys({ servers }, document, used, context);
    const variables = createClientVariables(layout.inputs, context);
    const native = Object.entries(servers).map(([name, server]) => {
      if (!isPlainMap(server)) return [name, server] as const;
      const ending = { ...context, path: [...layout.path, name], vscode: layout.vscode };
      return [name, toClientServer(name, server, variables, ending)] as const;
    });
    return addOwnKeys({ servers: Object.fromEntries(native) }, document, used, context);
  },
};

export interface ClientLayout {
  readonly path: Path;
  readonly servers: PlainData;
  readonly inputs: PlainData;
  readonly vscode: boolean;
  /** The positions of servers that the file has as a list of records. */
  readonly records?: ReadonlyMap<string, Path>;
}

/** Returns the location of the servers in a client file, or undefined for any other file. */
export function layoutOf(document: PlainObject): ClientLayout | undefined {
  const { mcpServers, servers, inputs = null, mcp } = document;
  // An export may have no servers beside its other records.
  if (Array.isArray(mcpServers) && (mcpServers.length > 0 || Object.keys(document).length > 1))
    return { ...fromRecords(mcpServers), path: ['mcpServers'], inputs, vscode: false };
  if (mcpServers !== undefined) return { path: ['mcpServers'], servers: mcpServers, inputs, vscode: false };
  if (isPlainMap(mcp) && mcp.servers !== undefined) {
    return { path: ['mcp', 'servers'], servers: mcp.servers, inputs: mcp.inputs ?? null, vscode: true };
  }
  if (servers === undefined) return undefined;
  const vscode = inputs !== null || (isPlainMap(servers) && Object.values(servers).some(hasType));
  return vscode ? { path: ['servers'], servers, inputs, vscode } : undefined;
}

/** Only VS Code uses the key `type` for the transport. */
function hasType(server: PlainData): boolean {
  return isPlainMap(server) && typeof server.type === 'string' && server.transport === undefined;
}

/** The name, or `name (2)` if another record has it: records are told apart by their ids. */
function freeName(name: string, taken: ReadonlyMap<string, Path>): string {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name} (${count})`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** The servers of a list of records, each with its name. The fields that only a database needs are left out. */
function fromRecords(list: readonly PlainData[]): Pick<ClientLayout, 'servers' | 'records'> {
  const servers: PlainObject = {};
  const records = new Map<string, Path>();
  for (const [index, record] of list.entries()) {
    // The check of the servers reports a list that has something else.
    if (!isPlainMap(record) || typeof record.name !== 'string') return { servers: [...list] };
    const {
      id: _id,
      name: stated,
      createdAt: _created,
      updatedAt: _updated,
      lastConnectedAt: _connected,
      ...server
    } = record;
    if (isPlainMap(server.authentication) && server.authentication.type === 'none') delete server.authentication;
    const name = freeName(stated as string, records);
    servers[name] = server;
    records.set(name, ['mcpServers', index]);
  }
  return { servers, records };
}
