import type { ConnectionState } from '../../contract/connections.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { runsOnce } from '../../contract/settings/defaults.ts';
import {
  createPersonalConnection,
  type PersonalConnectionOptions,
} from '../connections/accounts/personal-connection.ts';
import type { OAuthStore } from '../connections/authentication/oauth-store.ts';
import {
  type Connection,
  type ConnectionHooks,
  type ConnectionOptions,
  createConnection,
} from '../connections/connection.ts';
import type { ListKind } from '../connections/discovery.ts';
import type { HttpEndpoints } from '../connections/http/http-endpoints.ts';
import type { SessionPlugins } from '../connections/session.ts';
import type { ConnectionStatus } from '../connections/status.ts';
import type { TrafficLogs } from '../connections/traffic/traffic-log.ts';
import type { WaitForTools } from '../kernel/internal-source.ts';
import type { Log } from '../kernel/log.ts';
import type { ServerNotice } from './server-content.ts';

/** Opens the connection to a server that one replica runs. */
export interface PlacementPort {
  open(spec: ServerSpec, hooks: ConnectionHooks, openLocal: (hooks: ConnectionHooks) => Connection): Connection;
  readonly waitForTools: WaitForTools;
}

export interface OpenServerPorts
  extends Pick<
      ConnectionOptions,
      'plugins' | 'protocolCache' | 'log' | 'starts' | 'env' | 'clock' | 'healthMs' | 'maxMessageBytes' | 'defaultHost'
    >,
    Pick<PersonalConnectionOptions, 'store' | 'oauth'> {
  /** HTTP endpoints whose sign-ins are in this store; in that of the toolbox if undefined. */
  readonly openHttp: (oauth?: OAuthStore) => HttpEndpoints;
  readonly traffic: TrafficLogs;
  readonly placements?: PlacementPort;
  /** True for a connection whose events must not be reported. */
  readonly isSilent: (connection: Connection) => boolean;
  readonly onStatus: (server: string, status: ConnectionStatus, before: ConnectionState) => void;
  readonly onList: (connection: Connection, kind: ListKind, isAnnounced: boolean) => void | Promise<void>;
  readonly onNotice: (notice: ServerNotice) => void;
}

/** Opens the connections of servers. */
export interface OpenServer {
  /** Opens it here, on the replica that runs the server, or one for each account. */
  open(spec: ServerSpec, plugins?: SessionPlugins): Connection;
  /** Reports the status that a connection reached before it was in use. */
  reportStatus(connection: Connection): void;
}

export function createOpenServer(ports: OpenServerPorts): OpenServer {
  const { protocolCache, log, env, starts, clock, healthMs, maxMessageBytes, defaultHost, traffic } = ports;
  const openHttp = ports.openHttp();

  function report(connection: Connection, status: ConnectionStatus, before: ConnectionState): void {
    if (ports.isSilent(connection)) return;
    logStatus(log, connection.spec.name, status, before);
    ports.onStatus(connection.spec.name, status, before);
  }

  function openConnection(spec: ServerSpec, plugins = ports.plugins): Connection {
    const { name: server } = spec;
    const hooks: ConnectionHooks = {
      onStatus: (status, before) => report(connection, status, before),
      onList: (kind, isAnnounced) => ports.onList(connection, kind, isAnnounced),
      onNotification: (method, params) => {
        if (!ports.isSilent(connection)) ports.onNotice({ server, method, params, callIds: [] });
      },
    };
    function openLocal(local: ServerSpec, localHooks: ConnectionHooks, http = openHttp): Connection {
      const shared = { protocolCache, log, env, starts, clock, healthMs, maxMessageBytes, defaultHost, plugins };
      return createConnection(local, { ...localHooks, ...shared, openHttp: http, traffic: traffic.of(local.name) });
    }
    function open(): Connection {
      if (spec.credentials === 'per-user') {
        return createPersonalConnection({
          ...{ spec, hooks, clock, log, store: ports.store, oauth: ports.oauth },
          onNotification: (owner, method, params) => ports.onNotice({ server, method, params, callIds: [], owner }),
          openLocal: (own, ownHooks, oauth) => openLocal(own, ownHooks, ports.openHttp(oauth)),
        });
      }
      const placements = runsOnce(spec) ? ports.placements : undefined;
      return placements?.open(spec, hooks, (own) => openLocal(spec, own)) ?? openLocal(spec, hooks);
    }
    const connection = open();
    return connection;
  }

  return { open: openConnection, reportStatus: (connection) => report(connection, connection.status, 'connecting') };
}

/** Logs a change of a server's status, except failures to connect, which the caller of `connect` reports. */
function logStatus(log: Log, server: string, status: ConnectionStatus, before: ConnectionState): void {
  const { state, reason = 'no reason given', era, transport, connectMs } = status;
  const kind = transport === 'api' ? 'HTTP API' : 'MCP server';
  const wasUp = before === 'connected' || before === 'degraded';
  if (state === 'connected' && before === 'connecting') {
    log.info('server.connected', `${kind} '${server}' is connected`, { server, era, transport, connectMs });
  } else if (state === 'connected' && before === 'degraded') {
    log.info('server.recovered', `${kind} '${server}' works again`, { server });
  } else if (state === 'sleeping' && wasUp) {
    log.info('server.sleeping', `${kind} '${server}' was not used for a while and sleeps`, { server });
  } else if (state === 'error' && wasUp) {
    log.warning('server.lost', `The connection to ${kind} '${server}' was lost and is being restored: ${reason}`, {
      server,
    });
  } else if (state === 'degraded') {
    log.warning('server.degraded', `${kind} '${server}' is only partly usable: ${reason}`, { server });
  }
}
