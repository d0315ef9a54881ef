import { isHealthy } from '../../../../contract/connections.ts';
import { ConnectionError, messageOf } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import type { ServerSpec } from '../../../../contract/settings/config.ts';
import type {
  CallableTool,
  Connection,
  ConnectionHooks,
  ToolCall,
} from '../../../../toolwharf/connections/connection.ts';
import type { ListKind } from '../../../../toolwharf/connections/discovery.ts';
import type { Exchange, RequestObserver } from '../../../../toolwharf/connections/exchange.ts';
import type { RequestHost } from '../../../../toolwharf/connections/request-host.ts';
import type { CachedList } from '../../../../toolwharf/connections/server-lists.ts';
import type { ConnectionStatus } from '../../../../toolwharf/connections/status.ts';
import { type AbortSource, toAbortSignal } from '../../../../toolwharf/kernel/abort-source.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import { createMutex } from '../../../../toolwharf/kernel/mutex.ts';
import { abortable } from '../../../../toolwharf/kernel/wait.ts';
import type { PlacementRow, PlacementStore } from '../../../../toolwharf/storage/ports/fleet-store.ts';
import type { ReplicaLease } from '../../../../toolwharf/storage/ports/replica-lease.ts';
import type { Fleet } from '../../../core/replicas/fleet.ts';
import { createFollowers, type Followers, type FollowItem, toReceivedList } from './followers.ts';
import { differingText, forward, type Owner, placementMethods, wasRefused } from './forward.ts';
import { createPlacedWatches } from './placed-watches.ts';
import { createRunningWork } from './running-work.ts';

export interface PlacedConnectionOptions {
  readonly spec: ServerSpec;
  readonly hooks: ConnectionHooks;
  /** Creates the connection that starts the program on this replica. */
  readonly openLocal: (hooks: ConnectionHooks) => Connection;
  readonly fleet: Pick<Fleet, 'replica' | 'request'>;
  readonly store: PlacementStore;
  readonly lease: ReplicaLease;
  readonly log: Log;
  /** Looks for the owner now instead of later. */
  readonly onLost: () => void;
  readonly onConnect: (connection: PlacedConnection) => void;
  readonly onDisconnect: (connection: PlacedConnection) => void;
  /** Whether another connection of this replica has the term. */
  readonly isTermInUse: (term: number) => boolean;
  /** A request of this client is sent to another replica. */
  readonly onForward: (client: RequestHost['client']) => void;
  /** Lets other replicas look at once. */
  readonly hint: () => Promise<void>;
}

/** The connection to a server that one replica runs: a process here, or requests to the replica that has it. */
export interface PlacedConnection extends Connection {
  /** The term in which this replica runs the server; undefined if it does not. */
  readonly ownTerm: number | undefined;
  /** Takes the server if nobody has it, or follows its owner. */
  update(row: PlacementRow | undefined): Promise<void>;
  /** Whether the tools of the server are known. */
  readonly hasTools: boolean;
  /** Waits until the tools are known, for as long as a request may take. Rejects with SERVER_UNAVAILABLE. */
  waitForTools(): Promise<void>;
  /** Whether all lists of the server are known. */
  readonly hasContent: boolean;
  /** The same for all lists of the server. */
  waitForContent(): Promise<void>;
  /** Resolves when no call of this replica runs at the server that it owns. */
  idle(): Promise<void>;
  /** Ends the process before the lease does. */
  stepDown(reason: string): Promise<void>;
  /** The local connection, if this replica runs the server in this term and may send to it now. */
  useLocal(term: number): Connection | undefined;
  readonly followers: Followers;
}

type Role =
  | { readonly kind: 'none' }
  | { readonly kind: 'owner'; readonly term: number; readonly epoch: number }
  | ({ readonly kind: 'follower'; readonly end: AbortController } & Owner);

export function createPlacedConnection(options: PlacedConnectionOptions): PlacedConnection {
  const { spec, hooks, fleet, store, lease, log } = options;
  const inTurn = createMutex();
  const followers = createFollowers();
  const lists = new Map<ListKind, CachedList>();
  let role: Role = { kind: 'none' };
  let roleChange = Promise.withResolvers<void>();
  let isWanted = false;
  /** Whether the tools were registered once. */
  let hasTools = false;
  /** Whether the server was connected once: all its lists were registered. */
  let hasContent = false;
  let status: ConnectionStatus = stateNow('disconnected');
  let statusChange = Promise.withResolvers<void>();
  let stderr: readonly string[] = [];
  const running = createRunningWork();

  const local = options.openLocal({
    onStatus(next) {
      if (role.kind !== 'owner') return;
      setStatus({ ...next, replica: fleet.replica });
      followers.send({ status, stderr: local.stderr() });
      if (next.state === 'connected') void watches.attach('owner');
    },
    async onList(kind, isAnnounced) {
      if (role.kind !== 'owner') return;
      const list = local.lists.get(kind);
      if (list) await setList(kind, list, isAnnounced);
      if (list) followers.send({ kind, list, isAnnounced });
    },
    onNotification(method, params) {
      hooks.onNotification(method, params);
      followers.send({ method, params });
    },
    // Some time before the lease ends, since the clocks of two machines do not run equally fast.
    expiresInMs: () => (isOwner() ? lease.remainingMs() - lease.durationMs / 20 : 0),
  });
  const watches = createPlacedWatches({ server: spec.name, fleet, log, local });

  function isOwner(): boolean {
    return role.kind === 'owner' && role.epoch === lease.epoch;
  }

  function setStatus(next: ConnectionStatus): void {
    const before = status;
    status = next;
    hasContent ||= isHealthy(next.state);
    statusChange.resolve();
    statusChange = Promise.withResolvers();
    if (before.state !== next.state || before.reason !== next.reason) hooks.onStatus(next, before.state);
  }

  async function setList(kind: ListKind, list: CachedList, isAnnounced: boolean): Promise<void> {
    lists.set(kind, list);
    await hooks.onList(kind, isAnnounced);
    if (kind === 'tools') hasTools = true;
    statusChange.resolve();
    statusChange = Promise.withResolvers();
  }

  /** Waits as long as a request may take. Rejects with SERVER_UNAVAILABLE. */
  async function waitUntil(isKnown: () => boolean): Promise<void> {
    const timeout = AbortSignal.timeout(spec.timeoutMs);
    while (isWanted && !isKnown()) {
      if (status.state === 'error') throw ownerless(spec.name, status.reason);
      await abortable(statusChange.promise, timeout).catch(() => {
        throw ownerless(spec.name);
      });
    }
  }

  function setRole(next: Role): void {
    if (role.kind === 'follower') role.end.abort(new Error('Another replica runs the server now'));
    role = next;
    roleChange.resolve();
    roleChange = Promise.withResolvers();
    if (next.kind === 'none') {
      for (const [kind, list] of lists) lists.set(kind, { ...list, stale: true });
      if (isWanted) setStatus({ ...stateNow('connecting'), lastConnectedAt: status.lastConnectedAt });
    }
    // The program has to start before it can be asked to watch something.
    if (next.kind !== 'owner') void watches.attach(next.kind === 'follower' ? next : 'none');
  }

  async function take(term: number): Promise<void> {
    const { epoch } = lease;
    if (!lease.isHeld(epoch)) return;
    const taken = await store.take(spec.name, term, epoch);
    if (taken === undefined) return options.onLost();
    if (!isWanted) return store.release(spec.name, taken);
    log.info('placement.taken', `This replica runs server '${spec.name}' now`, { server: spec.name });
    setRole({ kind: 'owner', term: taken, epoch });
    // Its status shows a failure, and it retries.
    const known = lists.get('tools')?.items;
    (local.rest && known ? local.rest(known) : local.connect()).catch(() => {});
    await options.hint().catch(() => {});
  }

  function follow({ replica, term }: PlacementRow): void {
    const end = new AbortController();
    const owner = { kind: 'follower', replica, term, end, ended: end.signal } as const;
    setRole(owner);
    // One item after the other: the tools of a server are in the catalog before it is seen as connected.
    let received = Promise.resolve();
    const onItem = (item: JsonObject) => {
      received = received.then(() => receive(item as unknown as FollowItem, owner));
    };
    fleet
      .request(
        replica,
        placementMethods.follow,
        { server: spec.name, term },
        { signal: end.signal, onItem, isBackground: true },
      )
      .catch(() => {})
      .finally(() => {
        if (role !== owner) return;
        setRole({ kind: 'none' });
        options.onLost();
      });
  }

  async function receive(item: FollowItem, owner: Role): Promise<void> {
    if (role !== owner) return;
    if ('method' in item) return hooks.onNotification(item.method, item.params);
    if ('status' in item) {
      stderr = item.stderr;
      return setStatus(item.status);
    }
    await setList(item.kind, toReceivedList(item.list), item.isAnnounced).catch((cause) =>
      log.warning(
        'placement.not-listed',
        `The ${item.kind} of server '${spec.name}' were not used: ${messageOf(cause)}`,
      ),
    );
  }

  async function giveUp(): Promise<void> {
    if (role.kind !== 'owner') return setRole({ kind: 'none' });
    const { term } = role;
    setRole({ kind: 'none' });
    followers.end();
    await local.disconnect();
    await store.release(spec.name, term).catch(() => {});
    await options.hint().catch(() => {});
  }

  /** The role in which requests can be sent. Waits for one while no replica has the server. */
  async function ready(signal?: AbortSignal): Promise<Exclude<Role, { kind: 'none' }>> {
    while (role.kind === 'none') {
      if (!isWanted) throw disconnected(spec.name);
      await abortable(roleChange.promise, signal).catch((cause) => {
        throw isTimeout(cause) ? ownerless(spec.name) : cause;
      });
    }
    return role;
  }

  /** Sends a request here, or to the owner. Once more if an owner surely did not send it to the server. */
  async function send<Value>(
    signal: AbortSignal | undefined,
    here: () => Promise<Value>,
    there: (owner: Owner) => Promise<Value>,
  ): Promise<Value> {
    for (;;) {
      const current = await ready(signal);
      if (current.kind === 'owner') return running.add(here());
      try {
        return await there(current);
      } catch (cause) {
        if (!wasRefused(cause)) throw cause;
        options.onLost();
        const next = role === current ? roleChange.promise : Promise.resolve();
        await abortable(Promise.race([next, delay(retryMs)]), signal).catch((reason) => {
          throw isTimeout(reason) ? ownerless(spec.name) : reason;
        });
      }
    }
  }

  async function waitUntilConnected(signal: AbortSignal | undefined): Promise<void> {
    const timeout = AbortSignal.timeout(spec.timeoutMs);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    while (status.state === 'connecting' || status.state === 'disconnected') {
      if (!isWanted) throw disconnected(spec.name);
      await abortable(statusChange.promise, either).catch((cause) => {
        if (signal?.aborted) throw cause;
        throw new ConnectionError('SERVER_UNREACHABLE', 'No replica runs the server yet', { data: { reached: false } });
      });
    }
    if (status.state !== 'error') return;
    throw new ConnectionError('SERVER_UNREACHABLE', status.reason ?? 'The server is not connected', {
      data: { reached: false },
    });
  }

  const placed: PlacedConnection = {
    spec,
    followers,
    get ownTerm() {
      return role.kind === 'owner' ? role.term : undefined;
    },
    get status() {
      return status;
    },
    get hasTools() {
      return hasTools;
    },
    get dropped() {
      return local.dropped;
    },
    lists: { get: (kind) => lists.get(kind) },
    stderr: () => (role.kind === 'owner' ? local.stderr() : stderr),
    redact: (value) => local.redact(value),

    update: (row) =>
      inTurn(async () => {
        if (!isWanted) return;
        if (role.kind === 'owner') {
          if (row?.term === role.term && isOwner()) return;
          log.warning('placement.lost', `This replica no longer runs server '${spec.name}'`, { server: spec.name });
          await giveUp();
          return options.onLost();
        }
        const isOurs = row?.replica === fleet.replica;
        if (row?.isHeld && !isOurs) {
          if (role.kind !== 'follower' || role.term !== row.term) follow(row);
          return;
        }
        if (role.kind === 'follower') setRole({ kind: 'none' });
        if (!row || !options.isTermInUse(row.term)) await take(row?.term ?? 0);
      }),
    idle: () => running.ended(),
    get hasContent() {
      return hasContent;
    },
    waitForTools: () => waitUntil(() => hasTools),
    waitForContent: () => waitUntil(() => hasContent),
    stepDown: (reason) =>
      inTurn(async () => {
        if (role.kind !== 'owner') return;
        log.warning('placement.stopped', `Server '${spec.name}' was stopped here: ${reason}`, { server: spec.name });
        await giveUp();
      }),
    useLocal: (term) => (isOwner() && placed.ownTerm === term && lease.isHeld(lease.epoch) ? local : undefined),

    async connect({ signal } = {}) {
      if (!isWanted) {
        isWanted = true;
        setStatus(stateNow('connecting'));
        options.onConnect(placed);
      } else if (role.kind === 'owner') await local.connect({ signal });
      options.onLost();
      await waitUntilConnected(signal);
      if (status.state === 'sleeping') await placed.refresh('tools');
    },
    rest:
      local.rest &&
      (async (tools) => {
        isWanted = true;
        await setList('tools', { items: tools, rejected: [], stale: false }, false);
        setStatus(stateNow('sleeping'));
        options.onConnect(placed);
        options.onLost();
      }),
    async disconnect() {
      isWanted = false;
      await inTurn(giveUp);
      await local.disconnect();
      options.onDisconnect(placed);
      lists.clear();
      hasTools = false;
      hasContent = false;
      setStatus(stateNow('disconnected'));
    },

    request: (method, params, requestOptions: Exchange = {}) =>
      send(
        requestOptions.signal && toAbortSignal(requestOptions.signal),
        () => local.request(method, params, requestOptions),
        (owner) => {
          const { callId, host, onForward, observer, signal } = requestOptions;
          onForward?.(owner.replica);
          options.onForward(host?.client);
          return forward(fleet, owner, placementMethods.request, {
            ...requestOptions,
            ...{ server: spec.name, subject: method, params: { method, params, callId } },
          }).catch((cause) => reportUnanswered(cause, owner, observer, signal));
        },
      ),
    callTool: (tool: CallableTool, args, call: ToolCall) =>
      send(
        toAbortSignal(call.signal),
        () => local.callTool(tool, args, call),
        (owner) => {
          call.onForward?.(owner.replica);
          const { id, host, signal, meta, extraParams, prefersTask } = call;
          options.onForward(host.client);
          const text = differingText(args);
          const params = { tool: { ...tool }, args, text, call: id, meta, extraParams, prefersTask } as JsonObject;
          return forward(fleet, owner, placementMethods.call, {
            ...{ host, signal, server: spec.name, subject: tool.name, params },
            onWait: () => call.onWait?.() ?? (() => {}),
            onTask: (task) => call.onTask?.(task),
          }).catch((cause) => reportUnanswered(cause, owner, call, signal));
        },
      ),
    refresh: (kind) =>
      send(
        undefined,
        () => local.refresh(kind),
        async ({ replica, term }) => {
          const { list } = await fleet.request(replica, placementMethods.refresh, { server: spec.name, term, kind });
          if (list) await setList(kind, toReceivedList(list as unknown as CachedList), false);
        },
      ),
    watchResources: (uris) => watches.add(uris),
    notifyRootsChanged(clientSession) {
      if (role.kind === 'owner') local.notifyRootsChanged?.(clientSession);
      if (role.kind !== 'follower' || spec.isolation !== 'session') return;
      const params = { server: spec.name, term: role.term, clientSession };
      fleet.request(role.replica, placementMethods.rootsChanged, params).catch(() => {});
    },
    finishSignIn: async () => false,
    signInState: async () => undefined,
    signOut: async () => {},
  };
  return placed;
}

/** The owner does not report late answers. It ends the server's process when it gives up the server. */
function reportUnanswered(
  cause: unknown,
  owner: Owner,
  observer: RequestObserver | undefined,
  signal: AbortSource | undefined,
): never {
  if (signal?.aborted) observer?.onUnanswered?.({ end: aborted(owner.ended) });
  throw cause;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const retryMs = 250;
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function stateNow(state: ConnectionStatus['state']): ConnectionStatus {
  return { state, since: new Date().toISOString(), failures: 0 };
}

/** The time limit of the call has passed, rather than that its caller has cancelled it. */
function isTimeout(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === 'TimeoutError';
}

function ownerless(server: string, reason = 'no replica runs it at the moment'): ConnectionError {
  const message = `Server '${server}' is not available: ${reason}. The call was not sent; try again later`;
  return new ConnectionError('SERVER_UNAVAILABLE', message, { data: { server, reached: false } });
}

function disconnected(server: string): ConnectionError {
  return new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${server}`, {
    data: { reached: false },
  });
}
