import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { Catalog, NextServer } from '../catalog/catalog.ts';
import { joinViolations } from '../catalog/register-tools.ts';
import type { Connection } from '../connections/connection.ts';
import { type ListKind, listSources, toToolDefinition } from '../connections/discovery.ts';
import type { ConnectionStatus } from '../connections/status.ts';
import type { Events } from '../kernel/events.ts';
import type { Log } from '../kernel/log.ts';
import type { ResourceOwners } from './resource-owners.ts';
import type { ServerSet } from './server-set.ts';
import type { ToolboxEvents } from './toolbox-events.ts';

export interface RegisterListsPorts {
  readonly catalog: Catalog;
  readonly servers: () => Pick<ServerSet, 'get' | 'all'>;
  readonly registerSkills: (connection: Connection) => Promise<void>;
  readonly owners: Pick<ResourceOwners, 'claim'>;
  readonly events: Events<ToolboxEvents>;
  readonly log: Log;
  /** The start ignores violations of strict mode. */
  readonly tolerant: boolean;
}

/** Registers the tools and skills that servers list. */
export interface RegisterLists {
  /** A list of a server was read. */
  useList(connection: Connection, kind: ListKind, isAnnounced: boolean): Promise<void>;
  /** A connection with lists is used from now on. */
  useAll(connection: Connection): Promise<void>;
  /** The status of a server changed. A server that does not answer keeps the tools that were accepted before. */
  handleStatus(server: string, status: ConnectionStatus): void;
  /** Registers the tools and skills of connected servers under changed settings or pins. */
  registerAgain(isMeant?: (connection: Connection) => boolean): Promise<void>;
  /** All servers have started. Rejects with the violations of strict mode that were found. */
  endStart(): Promise<void>;
}

/** A server that takes longer to connect is listed with its accepted tools meanwhile. */
const slowStartMs = 1_000;

export function createRegisterLists(ports: RegisterListsPorts): RegisterLists {
  const { catalog, servers, registerSkills, owners, events, tolerant, log } = ports;
  const violations: ToolwharfError[] = [];
  let isStarted = false;
  let changes = 0;
  events.on('catalog.changed', () => {
    changes++;
  });

  const isUsed = (connection: Connection) => servers().get(connection.spec.name) === connection;

  async function registerTools(connection: Connection): Promise<void> {
    if (!isUsed(connection)) return;
    const { spec, offered = [], facts } = toOffer(connection);
    try {
      await catalog.setServer(spec, offered, { ...facts, starting: !isStarted && !tolerant });
    } catch (cause) {
      if (!(cause instanceof ToolwharfError) || isStarted) throw cause;
      violations.push(cause);
    }
  }

  function claimUris({ spec, lists }: Connection, kind: ListKind): void {
    const items = lists.get(kind)?.items ?? [];
    if (kind === 'resources')
      owners.claim(
        spec.name,
        'uris',
        items.map(({ uri }) => String(uri)),
      );
    if (kind === 'resourceTemplates')
      owners.claim(
        spec.name,
        'templates',
        items.map((item) => String(item.uriTemplate)),
      );
  }

  async function useList(connection: Connection, kind: ListKind, isAnnounced: boolean): Promise<void> {
    const server = connection.spec.name;
    if (!isUsed(connection)) return;
    if (kind === 'skills') return registerSkills(connection);
    if (kind !== 'tools') {
      claimUris(connection, kind);
      return events.emit('content.changed', { server, kind });
    }
    const before = changes;
    await registerTools(connection);
    // Clients are notified of every change that the server announces, even of tools that the catalog leaves out.
    if (isAnnounced && changes === before)
      events.emit('catalog.changed', { added: [], removed: [], changed: [], server });
  }

  async function usePinned(server: string): Promise<void> {
    const connection = servers().get(server);
    if (!connection || connection.spec.credentials === 'per-user' || connection.lists.get('tools')) return;
    const { state } = connection.status;
    if (state === 'connecting' || state === 'error') await catalog.setPinned(connection.spec);
  }

  function startUsePinned(server: string): void {
    usePinned(server).catch((cause) => {
      log.warning(
        'catalog.pins-unread',
        `The accepted tools of MCP server '${server}' cannot be read: ${messageOf(cause)}`,
        {
          server,
        },
      );
    });
  }

  return {
    useList,
    handleStatus(server, { state }) {
      if (state === 'error') startUsePinned(server);
      if (state === 'connecting') setTimeout(startUsePinned, slowStartMs, server).unref();
    },
    async useAll(connection) {
      const kinds = Object.keys(listSources) as ListKind[];
      const listed = kinds.filter((kind) => connection.lists.get(kind));
      await Promise.all(listed.map((kind) => useList(connection, kind, false)));
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

/** The tools that a server lists. */
export function toOffer({ spec, status, lists }: Connection): Omit<NextServer, 'isNew'> {
  const usesParamHeaders = status.era === 'modern' && status.transport === 'http';
  return { spec, offered: lists.get('tools')?.items.map(toToolDefinition), facts: { usesParamHeaders } };
}
