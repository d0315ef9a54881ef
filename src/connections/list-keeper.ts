import { messageOf, ProtocolError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import { type Listing, type ListKind, listAll, listSources } from './discovery.ts';

/** A server's list as last read. */
export interface KnownList extends Listing {
  /** Not confirmed by the present session: the server is away, or the last try to read it failed. */
  readonly stale: boolean;
}

/** What a server offers, as last read. `undefined` means it was never read: unknown, which is not the same as empty. */
export interface ServerLists {
  get(kind: ListKind): KnownList | undefined;
}

export interface ListKeeper extends ServerLists {
  /** Reads every list the server has. Never rejects: what fails is told by `trouble` and tried again. */
  readAll(capabilities: JsonObject): Promise<void>;
  /** Reads one list; reads asked for while one is under way are answered by a single read after it. */
  read(kind: ListKind): Promise<void>;
  /** Takes a server's notification; one that says a list changed has it read again. */
  noteChange(method: string): void;
  markStale(): void;
  clear(): void;
  /** What could not be read, if anything. */
  trouble(): string | undefined;
}

export interface ListKeeperOptions {
  readonly request: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly log: Log;
  readonly server: string;
  /** Awaited before the list counts as read. */
  readonly onList: (kind: ListKind) => void | Promise<void>;
  readonly onHealth: () => void;
  /** A storm of changes is read at most once in this time; 100. */
  readonly settleMs?: number;
  /** A list that could not be read is tried again after this; 5 000. */
  readonly retryMs?: number;
}

const changes: Readonly<Record<string, readonly ListKind[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates'],
  'notifications/prompts/list_changed': ['prompts'],
};

export function createListKeeper(options: ListKeeperOptions): ListKeeper {
  const { log, server, settleMs = 100, retryMs = 5_000 } = options;
  const known = new Map<ListKind, KnownList>();
  const failures = new Map<ListKind, string>();
  const reading = new Map<ListKind, { current: Promise<void>; next?: Promise<void> }>();
  const timers = new Map<ListKind, NodeJS.Timeout>();
  let generation = 0;

  function later(kind: ListKind, ms: number): void {
    if (timers.has(kind)) return;
    const timer = setTimeout(() => {
      timers.delete(kind);
      void read(kind);
    }, ms);
    timers.set(kind, timer.unref());
  }

  function stopTimers(): void {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  }

  async function readNow(kind: ListKind): Promise<void> {
    const mine = generation;
    try {
      const listing = await listAll(listSources[kind], options.request);
      if (mine !== generation) return;
      for (const { name, reason } of listing.rejected) {
        const what = `Server '${server}' offers ${kind.replace(/s$/, '')} '${name}', which is left out: ${reason}`;
        log.warning('connection.item-rejected', what, { server, kind, item: name });
      }
      known.set(kind, { ...listing, stale: false });
      failures.delete(kind);
      await options.onList(kind);
    } catch (cause) {
      if (mine !== generation) return;
      const before = known.get(kind);
      if (before) known.set(kind, { ...before, stale: true });
      failures.set(kind, messageOf(cause));
      log.warning('connection.list-failed', `Server '${server}' did not list its ${kind}: ${messageOf(cause)}`, {
        server,
        kind,
      });
      later(kind, retryMs);
    }
    options.onHealth();
  }

  function read(kind: ListKind): Promise<void> {
    const under = reading.get(kind);
    if (under) {
      under.next ??= under.current.then(() => start(kind));
      return under.next;
    }
    return start(kind);
  }

  function start(kind: ListKind): Promise<void> {
    const entry: { current: Promise<void>; next?: Promise<void> } = { current: Promise.resolve() };
    reading.set(kind, entry);
    entry.current = readNow(kind).finally(() => {
      if (reading.get(kind) === entry && !entry.next) reading.delete(kind);
    });
    return entry.current;
  }

  return {
    get: (kind) => known.get(kind),
    read,
    async readAll(capabilities) {
      generation++;
      reading.clear();
      stopTimers();
      failures.clear();
      const kinds = (Object.keys(listSources) as ListKind[]).filter((kind) =>
        isObject(capabilities[listSources[kind].capability]),
      );
      // A server that announces nothing may still have tools: asking costs one request.
      if (!kinds.includes('tools') && kinds.length === 0) await readUnannouncedTools();
      await Promise.all(kinds.map(read));
    },
    noteChange(method) {
      const changed = Object.hasOwn(changes, method) ? changes[method] : undefined;
      for (const kind of changed ?? []) if (known.has(kind) || failures.has(kind)) later(kind, settleMs);
    },
    markStale() {
      generation++;
      reading.clear();
      stopTimers();
      for (const [kind, list] of known) known.set(kind, { ...list, stale: true });
    },
    clear() {
      generation++;
      reading.clear();
      stopTimers();
      known.clear();
      failures.clear();
    },
    trouble() {
      if (failures.size === 0) return undefined;
      return [...failures].map(([kind, reason]) => `its ${kind} could not be listed: ${reason}`).join('; ');
    },
  };

  async function readUnannouncedTools(): Promise<void> {
    try {
      const listing = await listAll(listSources.tools, options.request);
      known.set('tools', { ...listing, stale: false });
    } catch (cause) {
      if (!(cause instanceof ProtocolError)) throw cause;
      known.set('tools', { items: [], rejected: [], stale: false });
    }
    await options.onList('tools');
  }
}
