import type { Server, Tool } from '../../api/client.ts';
import { localServer } from './tool-patterns.ts';

/** A server that an assistant can have, has, or had. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Undefined for one that is gone, and for the tools of the program itself. */
  readonly server?: Server;
  readonly isGone: boolean;
  readonly tools: readonly Tool[];
}

export interface ChoiceParts {
  readonly servers: readonly Server[];
  readonly tools: readonly Tool[];
  readonly serverIds: readonly string[];
  /** Those that go first. */
  readonly first: ReadonlySet<string>;
}

/** Everything that can be chosen, and what is chosen though it is no longer there. */
export function toChoices({ servers, tools, serverIds, first }: ChoiceParts): readonly Choice[] {
  const byServer = Map.groupBy(tools, ({ server }) => server ?? localServer);
  const toolsOf = (name: string) => byServer.get(name) ?? [];
  const known: Choice[] = servers.map((server) => ({
    id: server.id,
    name: server.name,
    server,
    isGone: false,
    tools: toolsOf(server.name),
  }));
  if (toolsOf(localServer).length > 0 && !servers.some(({ name }) => name === localServer))
    known.push({ id: localServer, name: 'Tools of this program', isGone: false, tools: toolsOf(localServer) });
  const ids = new Set(known.map(({ id }) => id));
  const gone = serverIds
    .filter((id) => !ids.has(id) && id !== localServer)
    .map((id) => ({ id, name: id, isGone: true, tools: [] }));
  const rank = ({ id }: Choice) => (first.has(id) ? 0 : 1);
  return [...known, ...gone].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}
