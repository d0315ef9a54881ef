import type { ServerSpec } from '../config/config.ts';
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
import type { ConnectionState, ConnectionStatus } from '../connections/status.ts';
import type { TrafficLogs } from '../connections/traffic/traffic-log.ts';
import { logStatus } from './log-status.ts';
import type { ServerNotice } from './server-content.ts';

/** Opens the connection to a server that one replica runs. */
export interface PlacementPort {
  open(spec: ServerSpec, hooks: ConnectionHooks, openLocal: (hooks: ConnectionHooks) => Connection): Connection;
}

export interface OpenServerPorts
  extends Pick<
      ConnectionOptions,
      'openTransport' | 'protocolCache' | 'log' | 'env' | 'clock' | 'healthMs' | 'maxMessageBytes' | 'defaultHost'
    >,
    Pick<PersonalConnectionOptions, 'store' | 'oauth'> {
  /** HTTP endpoints whose sign-ins are in this store; in that of the toolbox if undefined. */
  readonly openHttp: (oauth?: OAuthStore) => HttpEndpoints;
  readonly traffic: TrafficLogs;
  readonly placements?: PlacementPort;
  readonly onStatus: (server: string, status: ConnectionStatus, before: ConnectionState) => void;
  readonly onList: (connection: Connection, kind: ListKind, isAnnounced: boolean) => void | Promise<void>;
  readonly onNotice: (notice: ServerNotice) => void;
}

/** Opens the connection of a server: here, on the replica that runs it, or one for each account. */
export function createOpenServer(ports: OpenServerPorts): (spec: ServerSpec) => Connection {
  const { protocolCache, log, env, clock, healthMs, maxMessageBytes, defaultHost, openTransport, traffic } = ports;
  const openHttp = ports.openHttp();

  function openLocal(spec: ServerSpec, hooks: ConnectionHooks, http = openHttp): Connection {
    const shared = { protocolCache, log, env, clock, healthMs, maxMessageBytes, defaultHost, openTransport };
    return createConnection(spec, { ...hooks, ...shared, openHttp: http, traffic: traffic.of(spec.name) });
  }

  return (spec) => {
    const { name: server } = spec;
    const hooks: ConnectionHooks = {
      onStatus: (status, before) => {
        logStatus(log, server, status, before);
        ports.onStatus(server, status, before);
      },
      onList: (kind, isAnnounced) => ports.onList(connection, kind, isAnnounced),
      onNotification: (method, params) => ports.onNotice({ server, method, params, callIds: [] }),
    };
    function open(): Connection {
      if (spec.credentials === 'per-user') {
        return createPersonalConnection({
          ...{ spec, hooks, clock, log, store: ports.store, oauth: ports.oauth },
          onNotification: (owner, method, params) => ports.onNotice({ server, method, params, callIds: [], owner }),
          openLocal: (own, ownHooks, oauth) => openLocal(own, ownHooks, ports.openHttp(oauth)),
        });
      }
      const placements = spec.placement === 'single' ? ports.placements : undefined;
      return placements?.open(spec, hooks, (own) => openLocal(spec, own)) ?? openLocal(spec, hooks);
    }
    const connection = open();
    return connection;
  };
}
