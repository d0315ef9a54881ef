import type { ServerSpec } from '../../config/config.ts';
import type { CallableTool, Connection, ConnectionHooks } from '../../connections/connection.ts';
import { type ListKind, listSources } from '../../connections/discovery.ts';
import type { ReplyMeter } from '../../connections/request-host.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import type { FleetStore } from '../../storage/ports/fleet-store.ts';
import type { Fleet, FleetHandler, FleetRequest } from '../fleet.ts';
import type { FollowItem } from './followers.ts';
import { isElsewhere, placementMethods } from './forward.ts';
import { createPlacedConnection, type PlacedConnection } from './placed-connection.ts';
import { createRemoteHost, type HostAnswer, type RemoteHost } from './remote-host.ts';

/** Reserves memory for the results that this replica receives for others. */
export type OpenResults = () => Disposable & { openReply(subject: string): ReplyMeter };

export interface PlacementsOptions {
  readonly store: Pick<FleetStore, 'placements' | 'lease' | 'hint'>;
  readonly fleet: Fleet;
  readonly log: Log;
  readonly openResults?: OpenResults;
}

/** The servers of which one replica of the fleet runs the process. */
export interface Placements extends Disposable {
  /** Creates the connection to such a server. */
  open(spec: ServerSpec, hooks: ConnectionHooks, openLocal: (hooks: ConnectionHooks) => Connection): Connection;
  /** The servers that this replica runs. */
  owned(): readonly string[];
  /** Waits for the running calls of other replicas, and gives the servers to the other replicas. */
  drain(): Promise<void>;
}

/** How often to look for servers whose owner is gone. */
const intervalMs = 1_000;

export function createPlacements({ store, fleet, log, openResults }: PlacementsOptions): Placements {
  const { placements, lease } = store;
  const connections = new Set<PlacedConnection>();
  const remoteHosts = new Map<string, RemoteHost>();
  /** Requests of other replicas that have been sent to a server. */
  const served = new Set<Promise<unknown>>();
  let isDraining = false;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let looksAgain = false;

  /** Compares the owners in the database with what this replica does. */
  function look(): void {
    if (connections.size === 0 || isClosed || isDraining) return;
    if (looking) {
      looksAgain = true;
      return;
    }
    looking = update()
      .catch((cause) => log.debug('placement.not-read', `The owners of servers could not be read: ${messageOf(cause)}`))
      .finally(() => {
        looking = undefined;
        if (!looksAgain) return;
        looksAgain = false;
        setTimeout(look, 50).unref();
      });
  }

  async function update(): Promise<void> {
    const rows = new Map((await placements.list()).map((row) => [row.server, row]));
    await Promise.all([...connections].map((connection) => connection.update(rows.get(connection.spec.name))));
  }

  /** A replica that cannot extend its lease ends its servers while it still has the lease. */
  function fence(): void {
    if (lease.remainingMs() > lease.durationMs / 3) return;
    for (const connection of connections) void connection.stepDown('the lease could not be extended').catch(() => {});
  }

  /** The connection to a server that this replica runs in this term. */
  function find({ server, term }: JsonObject): { readonly placed: PlacedConnection; readonly local: Connection } {
    for (const placed of connections) {
      const local = placed.spec.name === server && !isDraining ? placed.useLocal(Number(term)) : undefined;
      if (local) return { placed, local };
    }
    throw isElsewhere(String(server));
  }

  /** Runs a request of another replica with the host that it described. */
  async function serve(
    params: JsonObject,
    request: FleetRequest,
    run: (local: Connection, host: RemoteHost) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { local } = find(params);
    const id = String(params.request);
    using results = openResults?.();
    const remote = createRemoteHost(params.host as JsonObject, request);
    remoteHosts.set(id, {
      ...remote,
      host: { ...remote.host, openReply: results && ((subject) => results.openReply(subject)) },
    });
    const running = run(local, remoteHosts.get(id) as RemoteHost);
    served.add(running);
    try {
      return { result: await running };
    } finally {
      served.delete(running);
      remoteHosts.delete(id);
    }
  }

  const handlers: Record<keyof typeof placementMethods, FleetHandler> = {
    call: (params, request) =>
      serve(params, request, (local, { host, onWait, onTask }) => {
        const { tool, args, call, meta } = params;
        const { signal } = request;
        const options = {
          ...{ id: String(call), host, signal, onWait, onTask, meta: meta as JsonObject | undefined },
          prefersTask: params.prefersTask === true,
        };
        return local.callTool(tool as unknown as CallableTool, args as JsonObject, options);
      }),
    request: (params, request) =>
      serve(params, request, async (local, { host, onWait }) => {
        const { method, params: given, callId } = params;
        const options = { host, onWait, signal: request.signal, callId: callId as string | undefined };
        return local.redact(await local.request(String(method), given as JsonObject, options));
      }),
    async answer({ request, question, answer }) {
      remoteHosts.get(String(request))?.answer(Number(question), answer as unknown as HostAnswer);
      return {};
    },
    async refresh(params) {
      const { local } = find(params);
      const kind = params.kind as ListKind;
      await local.refresh(kind);
      return { list: (local.lists.get(kind) as JsonObject | undefined) ?? null };
    },
    async watch(params, { signal, send }) {
      const { local } = find(params);
      const stop = await local.watchResources(params.uris as string[]);
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (!signal.aborted) send({ isWatching: true });
      else resolve();
      await promise;
      await stop();
      return {};
    },
    async follow(params, request) {
      const { placed } = find(params);
      const { status, lists, followers } = placed;
      const kinds = Object.keys(listSources) as ListKind[];
      const known = kinds.flatMap((kind): FollowItem[] => {
        const list = lists.get(kind);
        return list ? [{ kind, list, isAnnounced: false }] : [];
      });
      // The lists come first: a replica that sees the server as connected has them.
      return followers.add(request, [...known, { status, stderr: placed.stderr() }]);
    },
  };
  for (const [name, handler] of Object.entries(handlers))
    fleet.handle(placementMethods[name as keyof typeof placementMethods], handler);
  fleet.onChange('placements', look);
  const timer = setInterval(() => {
    fence();
    look();
  }, intervalMs).unref();

  return {
    open: (spec, hooks, openLocal) =>
      createPlacedConnection({
        ...{ spec, hooks, openLocal, fleet, lease, log },
        store: placements,
        onLost: look,
        hint: () => store.hint(),
        onConnect: (connection) => void connections.add(connection),
        onDisconnect: (connection) => void connections.delete(connection),
        isTermInUse: (term) => [...connections].some(({ ownTerm }) => ownTerm === term),
      }),
    owned: () => [...connections].filter(({ ownTerm }) => ownTerm !== undefined).map(({ spec }) => spec.name),
    async drain() {
      isDraining = true;
      await Promise.allSettled([...served]);
      await Promise.all([...connections].map((connection) => connection.disconnect()));
    },
    [Symbol.dispose]() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
