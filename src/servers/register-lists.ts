import type { Catalog } from '../catalog/catalog.ts';
import { joinViolations } from '../catalog/register-tools.ts';
import type { Connection } from '../connections/connection.ts';
import { type ListKind, toToolDefinition } from '../connections/discovery.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { Events } from '../kernel/events.ts';
import type { ServerSet } from './server-set.ts';
import type { ToolboxEvents } from './toolbox-events.ts';

export interface RegisterListsPorts {
  readonly catalog: Catalog;
  readonly servers: () => Pick<ServerSet, 'get' | 'all'>;
  readonly registerSkills: (connection: Connection) => Promise<void>;
  readonly events: Events<ToolboxEvents>;
  /** The start ignores violations of strict mode. */
  readonly tolerant: boolean;
}

/** Registers the tools and skills that servers list. */
export interface RegisterLists {
  /** A list of a server was read. */
  useList(connection: Connection, kind: ListKind, isAnnounced: boolean): Promise<void>;
  /** Registers the tools and skills of connected servers under changed settings or pins. */
  registerAgain(isMeant?: (connection: Connection) => boolean): Promise<void>;
  /** All servers have started. Rejects with the violations of strict mode that were found. */
  endStart(): Promise<void>;
}

export function createRegisterLists(ports: RegisterListsPorts): RegisterLists {
  const { catalog, servers, registerSkills, events, tolerant } = ports;
  const violations: ToolwharfError[] = [];
  let isStarted = false;
  let changes = 0;
  events.on('catalog.changed', () => {
    changes++;
  });

  async function registerTools(connection: Connection): Promise<void> {
    const { spec, status } = connection;
    if (servers().get(spec.name) !== connection) return;
    const usesParamHeaders = status.era === 'modern' && status.transport === 'http';
    const offered = connection.lists.get('tools')?.items.map(toToolDefinition) ?? [];
    try {
      await catalog.setServer(spec, offered, { usesParamHeaders, starting: !isStarted && !tolerant });
    } catch (cause) {
      if (!(cause instanceof ToolwharfError) || isStarted) throw cause;
      violations.push(cause);
    }
  }

  return {
    async useList(connection, kind, isAnnounced) {
      const server = connection.spec.name;
      if (kind === 'skills') return registerSkills(connection);
      if (kind !== 'tools') return events.emit('content.changed', { server, kind });
      const before = changes;
      await registerTools(connection);
      // Clients are notified of every change that the server announces, even of tools that the catalog leaves out.
      if (isAnnounced && changes === before)
        events.emit('catalog.changed', { added: [], removed: [], changed: [], server });
    },
    async registerAgain(isMeant = () => true) {
      const meant = servers().all().filter(isMeant);
      await Promise.all(meant.filter(({ lists }) => lists.get('tools')).map(registerTools));
      await Promise.all(meant.map(registerSkills));
    },
    async endStart() {
      isStarted = true;
      await catalog.settleNames();
      if (violations.length > 0) throw joinViolations(violations);
    },
  };
}
