import type { Server, Tool } from '../../api/client.ts';
import { localServer } from './tool-patterns.ts';

/** A server in the list of an assistant: selectable, selected or deleted. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Undefined for a deleted server and for local tools. */
  readonly server?: Server;
  readonly isMissing: boolean;
  readonly tools: readonly Tool[];
}

export interface ChoiceSources {
  readonly servers: readonly Server[];
  readonly tools: readonly Tool[];
  readonly serverIds: readonly string[];
  /** The ids that come first. */
  readonly first: ReadonlySet<string>;
}

/** All servers, and the deleted ones that are still selected. */
export function toChoices({ servers, tools, serverIds, first }: ChoiceSources): readonly Choice[] {
  const byServer = Map.groupBy(tools, ({ server }) => server ?? localServer);
  const toolsOf = (name: string) => byServer.get(name) ?? [];
  const selected = new Set(serverIds);
  const known: Choice[] = servers.map((server) => ({
    // Over the API, an assistant can also name its servers.
    id: selected.has(server.name) ? server.name : server.id,
    name: server.name,
    server,
    isMissing: false,
    tools: toolsOf(server.name),
  }));
  if (toolsOf(localServer).length > 0 && !servers.some(({ name }) => name === localServer))
    known.push({ id: localServer, name: 'Local tools', isMissing: false, tools: toolsOf(localServer) });
  const ids = new Set(known.map(({ id }) => id));
  const missing = serverIds
    .filter((id) => !ids.has(id) && id !== localServer)
    .map((id) => ({ id, name: id, isMissing: true, tools: [] }));
  const rank = ({ id }: Choice) => (first.has(id) ? 0 : 1);
  return [...known, ...missing].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
