import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { NativeServer } from '../../contract/settings/server-schema.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { parseServer } from '../config/open-config.ts';
import { findSecretReferences, isProgramScheme } from '../config/references.ts';
import type { Connection } from '../connections/connection.ts';
import type { TrafficLog, TrafficLogs } from '../connections/traffic/traffic-log.ts';
import type { InternalReadOptions } from '../invocation/read-content.ts';
import type { Log } from '../kernel/log.ts';
import { mapInSlices } from '../kernel/slices.ts';
import type { Tool } from '../kernel/tool.ts';
import { logServerAdded, logServerChanged, logServerRemoved } from './log-config-changes.ts';
import type { ServerContent } from './server-content.ts';
import { toServerInfo } from './server-info.ts';
import type { ServerSet } from './server-set.ts';

export interface ToolboxServersPorts {
  readonly servers: ServerSet;
  readonly content: ServerContent;
  readonly complete: (server: string, params: JsonObject, options?: InternalReadOptions) => Promise<JsonObject>;
  readonly traffic: TrafficLogs;
  readonly log: Log;
  readonly catalog: Pick<Catalog, 'entries' | 'removeServer'>;
  readonly toTool: (entry: CatalogEntry) => Tool;
  /** Throws for a server that this toolbox may not run. */
  readonly assertAllowed: (spec: ServerSpec) => ServerSpec;
  /** Throws once the toolbox is closed. */
  readonly assertOpen: () => void;
}

/** A server that does not come from the configuration, which alone may name programs that print secrets. */
function parseAdded(name: string, server: NativeServer | JsonObject): ServerSpec {
  const spec = parseServer(name, server);
  const command = findSecretReferences(spec.target).find(({ scheme }) => isProgramScheme(scheme));
  if (!command) return spec;
  const message = `${command.text} of server '${name}' works in the configuration file only: write the value itself`;
  throw new ToolwharfError('CONFIG_INVALID', message, { data: { server: name } });
}

/** Manages the servers of a toolbox while it is open. */
export function createToolboxServers(ports: ToolboxServersPorts) {
  const { servers, content, traffic, catalog, log, toTool, assertAllowed, assertOpen } = ports;

  function connectionOf(name: string): Connection {
    assertOpen();
    const connection = servers.get(name);
    if (connection) return connection;
    throw new ToolwharfError('NOT_FOUND', `There is no server '${name}'`, { data: { server: name } });
  }

  return {
    list: () => servers.all().map(toServerInfo),
    get(name: string) {
      const connection = servers.get(name);
      return connection && toServerInfo(connection);
    },
    status: (name: string) => servers.get(name)?.status,
    /** `isKnown`: the server existed before the start, and is not logged as added. */
    async add(name: string, server: NativeServer | JsonObject, { isKnown = false } = {}) {
      const spec = assertAllowed(parseAdded(name, server));
      assertOpen();
      if (servers.get(name))
        throw new ToolwharfError('CONFIG_INVALID', `There is already a server '${name}'`, { data: { server: name } });
      await servers.put(spec, { isKnown });
      if (!isKnown) logServerAdded(log, name);
      return toServerInfo(connectionOf(name));
    },
    async update(name: string, server: NativeServer | JsonObject) {
      const before = connectionOf(name).spec;
      const spec = assertAllowed(parseAdded(name, server));
      await servers.put(spec);
      logServerChanged(log, before, spec);
      return toServerInfo(connectionOf(name));
    },
    async remove(name: string) {
      connectionOf(name);
      await servers.remove(name);
      logServerRemoved(log, name);
    },
    async connect(name: string) {
      await connectionOf(name).connect();
      return toServerInfo(connectionOf(name));
    },
    async disconnect(name: string) {
      await connectionOf(name).disconnect();
      await catalog.removeServer(name);
      return toServerInfo(connectionOf(name));
    },
    async refreshTools(name: string) {
      await connectionOf(name).refresh('tools');
      return mapInSlices(
        catalog.entries.filter((entry) => entry.server === name),
        toTool,
      );
    },
    async finishSignIn(params: URLSearchParams) {
      for (const connection of servers.all()) {
        if (!(await connection.finishSignIn(params))) continue;
        // An attempt that was already running may have started before the credentials existed.
        await connection.connect().catch(() => connection.connect().catch(() => {}));
        return toServerInfo(connection);
      }
      return undefined;
    },
    async retrySignIns() {
      const waiting = servers
        .all()
        .filter(({ status }) => status.signInUrl !== undefined || status.cause === 'unauthorized');
      await Promise.all(waiting.map((connection) => connection.connect().catch(() => {})));
    },
    stderr: (name: string) => connectionOf(name).stderr(),
    signInState: (name: string) => connectionOf(name).signInState(),
    async signOut(name: string) {
      const connection = connectionOf(name);
      await connection.signOut();
      await connection.disconnect();
      // Without a sign-in, the attempt ends with OAUTH_REQUIRED and the URL to sign in at.
      await connection.connect().catch(() => {});
    },
    forgetSignIn: (name: string) => connectionOf(name).signOut(),
    traffic(name: string): TrafficLog {
      connectionOf(name);
      return traffic.of(name);
    },
    notifyRootsChanged(clientSession: string) {
      for (const connection of servers.all()) connection.notifyRootsChanged?.(clientSession);
    },
    request: content.request,
    complete: ports.complete,
    setLogLevel: content.setLogLevel,
  };
}
