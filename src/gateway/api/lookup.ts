import type { CatalogEntry } from '../../catalog/catalog.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { ServerInfo } from '../../servers/server-info.ts';
import type { Identity } from '../auth/identity.ts';
import { type Scope, scopeOf } from '../auth/profile-scope.ts';
import type { ApiPorts } from './route.ts';

type Asked = { readonly identity: Identity };
type Ports = Pick<ApiPorts, 'toolbox'>;
type ToolPorts = Pick<ApiPorts, 'toolbox' | 'started'>;

/** What the one who asks may see. */
export function scopeFor({ identity }: Asked, { toolbox }: Ports): Scope {
  return scopeOf(identity, toolbox.config.profiles);
}

/** A server by name. One that is hidden is as good as none. */
export function findServer(name: string, request: Asked, ports: Ports): ServerInfo {
  const info = scopeFor(request, ports).hasServer(name) ? ports.toolbox.server(name) : undefined;
  if (info) return info;
  throw new ToolwharfError('NOT_FOUND', `There is no server '${name}'`, { data: { server: name } });
}

/** A tool by name. One that is hidden is as good as none: what can't be listed can't be called. */
export async function findTool(name: string, request: Asked, ports: ToolPorts): Promise<CatalogEntry> {
  if (!ports.toolbox.entry(name)) await ports.started();
  const entry = ports.toolbox.entry(name);
  if (entry && scopeFor(request, ports).hasTool(entry)) return entry;
  throw new ToolwharfError('TOOL_NAME_INVALID', `There is no tool '${name}'`, { data: { tool: name } });
}

/** Every tool that the one who asks may see. */
export async function visibleTools(request: Asked, ports: ToolPorts): Promise<CatalogEntry[]> {
  await ports.started();
  const scope = scopeFor(request, ports);
  return ports.toolbox.tools.flatMap(({ name }) => {
    const entry = ports.toolbox.entry(name);
    return entry && scope.hasTool(entry) ? [entry] : [];
  });
}
