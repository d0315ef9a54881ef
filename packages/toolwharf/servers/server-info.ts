import type { ToolMode } from '../../contract/settings/choices.ts';
import type { ServerRoot, ServerSpec } from '../../contract/settings/config.ts';
import { describeLocation } from '../../contract/settings/server-url.ts';
import type { AnyTransport } from '../../contract/settings/transports.ts';
import type { Connection } from '../connections/connection.ts';
import type { ListKind } from '../connections/discovery.ts';
import type { ConnectionStatus } from '../connections/status.ts';

/** A server and its status, without secrets. */
export interface ServerInfo {
  readonly name: string;
  readonly description?: string;
  /** Its URL, or the command that starts it. */
  readonly place: string;
  /** As configured; `status.transport` is the one in use. */
  readonly transport: AnyTransport;
  readonly enabled: boolean;
  readonly required: boolean;
  readonly trusted: boolean;
  readonly mode: ToolMode;
  /** The roots that the server gets; undefined: those of the client that calls. */
  readonly roots?: readonly ServerRoot[];
  readonly status: ConnectionStatus;
  /** Counts of what the server offers; undefined if a list was never read. */
  readonly offers: Readonly<Record<ListKind, OfferedList | undefined>>;
}

/** The tools, resources, templates, prompts or skills of a server, as counted at the last refresh. */
export interface OfferedList {
  readonly count: number;
  /** The lists are from an earlier session, or the last refresh failed. */
  readonly stale: boolean;
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
}

export function toServerInfo(connection: Connection): ServerInfo {
  const { spec, status } = connection;
  const offer = (kind: ListKind): OfferedList | undefined => {
    const list = connection.lists.get(kind);
    return list && { count: list.items.length, stale: list.stale, rejected: list.rejected };
  };
  return {
    ...describe(spec),
    status,
    offers: {
      tools: offer('tools'),
      resources: offer('resources'),
      resourceTemplates: offer('resourceTemplates'),
      prompts: offer('prompts'),
      skills: offer('skills'),
    },
  };
}

function describe(spec: ServerSpec): Omit<ServerInfo, 'status' | 'offers'> {
  return {
    name: spec.name,
    description: spec.description,
    place: describeLocation(spec),
    transport: spec.target.transport,
    enabled: spec.enabled,
    required: spec.required,
    trusted: spec.trusted,
    mode: spec.mode,
    roots: spec.roots,
  };
}
