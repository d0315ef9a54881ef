import { messageOf, ProtocolError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Log } from '../kernel/log.ts';
import { announcesList, type Listing, type ListKind, listAll, listSources } from './discovery.ts';

/** A server's list as last read. */
export interface CachedList extends Listing {
  /** True when the present session has not confirmed it: the server is not connected, or the last attempt to read it failed. */
  readonly stale: boolean;
}

/** The lists of a server, as last read. `undefined` means never read, which is not the same as empty. */
export interface ServerLists {
  get(kind: ListKind): CachedList | undefined;
}

/** Reads and caches the lists of one server. */
export interface ServerListCache extends ServerLists {
  /** Reads every list of the server. Never rejects: `problem` names the failed lists, which are read again later. */
  readAll(capabilities: JsonObject): Promise<void>;
  /** Reads one list. Reads that are requested while one is running share a single read after it. */
  read(kind: ListKind): Promise<void>;
  /** Reads a list again after the server's notification that it changed. */
  handleNotification(method: string): void;
  /** Reads all lists again if they have ever changed: the legacy session beside the main one was opened or closed. */
  handleSideChange(): void;
  /** The only session that has the item, if the other one surely lacks it. */
  onlySessionOf(kind: ListKind, key: unknown): 'main' | 'side' | undefined;
  markStale(): void;
  /** Ends the reads of a session that is no longer used. The lists stay as they are. */
  rest(): void;
  /** Uses a list of an earlier process. Resolves when it is registered. */
  restore(kind: ListKind, items: readonly JsonObject[]): Promise<void>;
  clear(): void;
  /** The lists that could not be read, if any. */
  problem(): string | undefined;
}

type ListRequest = (method: string, params: JsonObject) => Promise<JsonObject>;

export interface ServerListCacheOptions {
  readonly request: ListRequest;
  /** Requests of the legacy session beside a modern one, if it is open: its server process has its own state. */
  readonly sideRequest?: () => ListRequest | undefined;
  readonly log: Log;
  readonly server: string;
  /** Awaited before the list counts as read; `isAnnounced` when the server said that it changed. */
  readonly onList: (kind: ListKind, isAnnounced: boolean) => void | Promise<void>;
  /** Called after each read; `problem` may have changed. */
  readonly onProblemChange: () => void;
}

const changedLists: Readonly<Record<string, readonly ListKind[]>> = {
  'notifications/tools/list_changed': ['tools'],
  // The extension has no notification of its own: skills are resources.
  'notifications/resources/list_changed': ['resources', 'resourceTemplates', 'skills'],
  'notifications/prompts/list_changed': ['prompts'],
};

const methodNotFound = -32601;
const kinds = Object.keys(listSources) as ListKind[];

/** A list that changes often is read at most once in this time. */
const debounceMs = 100;
/** Delay before a list that could not be read is read again. */
const retryMs = 5_000;

export function createServerListCache(options: ServerListCacheOptions): ServerListCache {
  const { log, server } = options;
  const lists = new Map<ListKind, CachedList>();
  const failures = new Map<ListKind, string>();
  const reads = new Map<ListKind, { current: Promise<void>; next?: Promise<void> }>();
  const timers = new Map<ListKind, NodeJS.Timeout>();
  // Lists that the server said have changed, and that are not read yet.
  const announced = new Set<ListKind>();
  // Servers that never change their lists have the same ones in all sessions.
  let hasEverChanged = false;
  // The keys of the items in each session, if both could be read.
  const sessionKeys = new Map<ListKind, { readonly main: ReadonlySet<unknown>; readonly side: ReadonlySet<unknown> }>();
  // Lists that the server does not announce.
  const unannounced = new Set<ListKind>();
  // A read that was started for an earlier session must not overwrite what a later one read.
  let generation = 0;

  function startGeneration(): void {
    generation++;
    reads.clear();
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  }

  function readLater(kind: ListKind, delayMs: number): void {
    if (timers.has(kind)) return;
    const timer = setTimeout(() => {
      timers.delete(kind);
      void read(kind);
    }, delayMs);
    timers.set(kind, timer.unref());
  }

  function read(kind: ListKind): Promise<void> {
    const running = reads.get(kind);
    if (!running) return startRead(kind);
    running.next ??= running.current.then(() => startRead(kind));
    return running.next;
  }

  function startRead(kind: ListKind): Promise<void> {
    const entry: { current: Promise<void>; next?: Promise<void> } = { current: Promise.resolve() };
    reads.set(kind, entry);
    entry.current = readNow(kind).finally(() => {
      if (reads.get(kind) === entry && !entry.next) reads.delete(kind);
    });
    return entry.current;
  }

  async function readNow(kind: ListKind): Promise<void> {
    const startedIn = generation;
    try {
      const before = lists.get(kind)?.items;
      const listing = await listAll(listSources[kind], options.request, { before }).catch((cause) => {
        if (isOptional(kind, cause)) return { items: [], rejected: [] };
        throw cause;
      });
      const merged = await addSideItems(kind, listing);
      if (startedIn !== generation) return;
      logRejected(kind, merged);
      lists.set(kind, { ...merged, stale: false });
      failures.delete(kind);
      await options.onList(kind, announced.delete(kind));
    } catch (cause) {
      if (startedIn !== generation) return;
      const before = lists.get(kind);
      if (before) lists.set(kind, { ...before, stale: true });
      const reason = cause instanceof Error && cause.name === 'TimeoutError' ? 'no answer in time' : messageOf(cause);
      failures.set(kind, reason);
      log.warning('connection.list-failed', `Server '${server}' did not list its ${kind}: ${reason}`, { server, kind });
      readLater(kind, retryMs);
    }
    options.onProblemChange();
  }

  /** Adds the items that only the session beside the main one has. */
  async function addSideItems(kind: ListKind, listing: Listing): Promise<Listing> {
    sessionKeys.delete(kind);
    const request = hasEverChanged ? options.sideRequest?.() : undefined;
    const found = request && (await listAll(listSources[kind], request).catch(() => undefined));
    if (!found) return listing;
    const keyOf = (item: JsonObject) => item[listSources[kind].key];
    const keys = { main: new Set(listing.items.map(keyOf)), side: new Set(found.items.map(keyOf)) };
    sessionKeys.set(kind, keys);
    return { ...listing, items: [...listing.items, ...found.items.filter((item) => !keys.main.has(keyOf(item)))] };
  }

  /** True when the failure means that the server has no such list. */
  function isOptional(kind: ListKind, cause: unknown): boolean {
    if (!(cause instanceof ProtocolError)) return false;
    // Servers that announce resources need not have templates, nor all of their lists.
    return unannounced.has(kind) || (kind !== 'tools' && cause.data.rpcCode === methodNotFound);
  }

  function logRejected(kind: ListKind, { rejected }: Listing): void {
    for (const { name, reason } of rejected) {
      const text = `Server '${server}' offers ${kind.replace(/s$/, '')} '${name}', which is left out: ${reason}`;
      log.warning('connection.item-rejected', text, { server, kind, item: name });
    }
  }

  return {
    get: (kind) => lists.get(kind),
    read,
    async readAll(capabilities) {
      startGeneration();
      failures.clear();
      unannounced.clear();
      const offered = kinds.filter((kind) => announcesList(kind, capabilities));
      // A server that announces nothing may still have tools; one request finds out.
      if (offered.length === 0) unannounced.add('tools');
      await Promise.all([...offered, ...unannounced].map(read));
    },
    handleNotification(method) {
      const changed = Object.hasOwn(changedLists, method) ? changedLists[method] : undefined;
      for (const kind of changed ?? []) {
        if (!lists.has(kind) && !failures.has(kind)) continue;
        hasEverChanged = true;
        announced.add(kind);
        readLater(kind, debounceMs);
      }
    },
    handleSideChange() {
      if (hasEverChanged) for (const kind of lists.keys()) readLater(kind, debounceMs);
    },
    onlySessionOf(kind, key) {
      const keys = sessionKeys.get(kind);
      if (!keys || keys.main.has(key) === keys.side.has(key)) return undefined;
      return keys.main.has(key) ? 'main' : 'side';
    },
    markStale() {
      startGeneration();
      for (const [kind, list] of lists) lists.set(kind, { ...list, stale: true });
    },
    rest: startGeneration,
    async restore(kind, items) {
      lists.set(kind, { items, rejected: [], stale: false });
      await options.onList(kind, false);
    },
    clear() {
      startGeneration();
      lists.clear();
      failures.clear();
    },
    problem() {
      if (failures.size === 0) return undefined;
      return [...failures].map(([kind, reason]) => `its ${kind} could not be listed: ${reason}`).join('; ');
    },
  };
}
