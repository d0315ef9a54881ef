import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import type { ServerSpec } from '../../../../contract/settings/config.ts';
import type { CallableTool, Connection, ConnectionHooks } from '../../../../toolwharf/connections/connection.ts';
import { type ListKind, listSources } from '../../../../toolwharf/connections/discovery.ts';
import type { ReplyMeter, RequestHost, Root } from '../../../../toolwharf/connections/request-host.ts';
import { evictOldest } from '../../../../toolwharf/kernel/evict-oldest.ts';
import { parseExactly, withText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import { toComparable } from '../../../../toolwharf/servers/wait-for-tools.ts';
import type { FleetStore } from '../../../../toolwharf/storage/ports/fleet-store.ts';
import type { WaitForContent } from '../../../core/mcp/method-ports.ts';
import type { Fleet, FleetHandler, FleetRequest } from '../../../core/replicas/fleet.ts';
import { type FollowItem, toSentList } from './followers.ts';
import { differingText, isElsewhere, listRootsMethod, placementMethods } from './forward.ts';
import { createPlacedConnection, type PlacedConnection } from './placed-connection.ts';
import { createRemoteHost, type HostAnswer, type RemoteHost, type RemoteHostPorts } from './remote-host.ts';
import { createRunningWork } from './running-work.ts';

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
  /**
   * Waits for the tools of servers to which a tool of this name may belong and whose tools this replica does not know yet. Rejects with
   * SERVER_UNAVAILABLE if no replica runs such a server. Undefined if there is none.
   */
  waitForTools(tool: string): Promise<void> | undefined;
  /** The same for the resources and prompts of some servers. */
  waitForContent: WaitForContent;
  /** The servers that this replica runs. */
  owned(): readonly string[];
  /**
   * Accepts no more calls of other replicas, which wait for the next owner. Finishes those that run, here and for others, and then
   * gives the servers to the other replicas.
   */
  drain(): Promise<void>;
}

const maxClients = 1_000;
/** How often to look for servers whose owner is gone. */
const intervalMs = 1_000;

export function createPlacements({ store, fleet, log, openResults }: PlacementsOptions): Placements {
  const { placements, lease } = store;
  const connections = new Set<PlacedConnection>();
  const remoteHosts = new Map<string, RemoteHost>();
  /** How to ask for the roots of clients here whose requests were sent to other replicas, by session. */
  const rootsOf = new Map<string, NonNullable<NonNullable<RequestHost['client']>['listRoots']>>();
  /** Requests of other replicas that have been sent to a server. */
  const served = createRunningWork();
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
    const { from, send, signal } = request;
    const listRoots: RemoteHostPorts['listRoots'] = async (clientSession, asking) =>
      (await fleet.request(from, listRootsMethod, { clientSession }, { signal: asking })).roots as readonly Root[];
    const remote = createRemoteHost(params.host as JsonObject, { send, signal, listRoots });
    remoteHosts.set(id, {
      ...remote,
      host: { ...remote.host, openReply: results && ((subject) => results.openReply(subject)) },
    });
    try {
      const result = await served.add(run(local, remoteHosts.get(id) as RemoteHost));
      const text = differingText(result);
      return text === undefined ? { result } : { text };
    } finally {
      remoteHosts.delete(id);
    }
  }

  const handlers: Record<keyof typeof placementMethods, FleetHandler> = {
    call: (params, request) =>
      serve(params, request, (local, { host, onWait, onTask }) => {
        const { tool, args, text, call, meta } = params;
        const { signal } = request;
        const options = {
          ...{ id: String(call), host, signal, onWait, onTask, meta: meta as JsonObject | undefined },
          extraParams: params.extraParams as JsonObject | undefined,
          prefersTask: params.prefersTask === true,
        };
        const exact = typeof text === 'string' ? (parseExactly(text) as JsonObject) : (args as JsonObject);
        return local.callTool(tool as unknown as CallableTool, withText(exact, text as string | undefined), options);
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
      const list = local.lists.get(kind);
      return { list: list ? toSentList(list) : null };
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
    async rootsChanged(params) {
      find(params).local.notifyRootsChanged?.(String(params.clientSession));
      return {};
    },
  };
  for (const [name, handler] of Object.entries(handlers))
    fleet.handle(placementMethods[name as keyof typeof placementMethods], handler);
  fleet.handle(listRootsMethod, async ({ clientSession }, { signal }) => {
    const listRoots = rootsOf.get(String(clientSession));
    if (!listRoots) throw new ToolwharfError('GONE', 'The session of the client has ended');
    return { roots: await listRoots(signal) };
  });
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
        onForward(client) {
          if (client?.session === undefined || !client.listRoots) return;
          rootsOf.delete(client.session);
          rootsOf.set(client.session, client.listRoots);
          evictOldest(rootsOf, maxClients);
        },
        onConnect: (connection) => void connections.add(connection),
        onDisconnect: (connection) => void connections.delete(connection),
        isTermInUse: (term) => [...connections].some(({ ownTerm }) => ownTerm === term),
      }),
    waitForTools(tool) {
      const name = toComparable(tool);
      const mayHave = ({ spec, hasTools }: PlacedConnection) => !hasTools && name.includes(toComparable(spec.name));
      const waiting = [...connections].filter(mayHave).map((connection) => connection.waitForTools());
      return waiting.length > 0 ? Promise.all(waiting).then(() => {}) : undefined;
    },
    waitForContent(isMeant) {
      const starting = [...connections].filter(({ spec, hasContent }) => !hasContent && isMeant(spec.name));
      if (starting.length === 0) return undefined;
      return Promise.all(starting.map((connection) => connection.waitForContent())).then(() => {});
    },
    owned: () => [...connections].filter(({ ownTerm }) => ownTerm !== undefined).map(({ spec }) => spec.name),
    async drain() {
      isDraining = true;
      await served.ended();
      await Promise.all([...connections].map((connection) => connection.idle()));
      // Before the servers are given away: replicas that wait for an answer would else take it for lost.
      await fleet.answersSent();
      await Promise.all([...connections].map((connection) => connection.disconnect()));
    },
    [Symbol.dispose]() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
