import type { DataSource } from '../../../contract/api/data-flows.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import type { Caller } from '../../kernel/tool.ts';
import type { PluginRecords } from '../../plugins/plugin.ts';

/** A call whose labelled result entered a context. */
export interface Source extends Pick<DataSource, 'server' | 'labels' | 'origins'> {
  readonly call: string;
  readonly tool: string;
  /** The call that made it. */
  readonly parent?: string;
  /** The number of hashes of its result. Undefined if they are not stored: any text could come from it. */
  readonly hashes?: number;
}

/** What is known of a conversation, or else of a caller. */
export interface Context {
  /** The labels of all that entered it. */
  readonly labels: readonly string[];
  readonly sources: readonly Source[];
  /** The labels of sources that are no longer listed. Any text could come from them. */
  readonly lost: readonly string[];
  /** The data flows that people allowed. */
  readonly allowed: readonly string[];
  /** When the last labelled result entered it. */
  readonly at: number;
}

/** Contexts that share a record: the number of records is fixed. */
interface Shelf {
  readonly id: string;
  readonly contexts: Readonly<Record<string, Context>>;
  /** What is left of contexts for which there was no space. It applies to every context that has no entry of its own. */
  readonly evicted?: Pick<Context, 'labels' | 'at'>;
}

/** The hashes of one result, or a part of them. */
interface StoredHashes extends Source {
  readonly id: string;
  readonly content: string;
}

export interface Bounds {
  /** Contexts are stored in so many records. */
  readonly shelves: number;
  readonly contextsPerShelf: number;
  /** The length of the list of sources, as JSON. */
  readonly listLength: number;
  /** The hashes of one result: about one for each character. */
  readonly hashesPerSource: number;
  readonly hashesPerContext: number;
  readonly hashesPerShelf: number;
  /** In memory, of all contexts together. */
  readonly hashesInMemory: number;
}

export const defaultBounds: Bounds = {
  shelves: 1_024,
  contextsPerShelf: 8,
  listLength: 24_000,
  hashesPerSource: 120_000,
  hashesPerContext: 250_000,
  hashesPerShelf: 500_000,
  hashesInMemory: 1_000_000,
};

const hashesPerRecord = 25_000;
const bytesPerHash = 6;
const maxAllowed = 200;

const empty: Context = { labels: [], sources: [], lost: [], allowed: [], at: 0 };

/** The conversation of a caller, or else the person or key: a client that opens another session stays the same. */
export function contextOf({ conversation, user, id, kind }: Caller): string {
  return hashOf(conversation === undefined ? [kind, user ?? id] : ['conversation', conversation]);
}

export interface Contexts {
  readonly bounds: Bounds;
  /** The present state of a context. */
  read(context: string): Promise<Context>;
  /** Adds a call whose result has labels. The hashes are stored before the context names them. */
  addSource(context: string, source: Source, hashes: ReadonlySet<number> | undefined): Promise<void>;
  /** Allows data flows. */
  allow(context: string, flows: readonly string[]): Promise<void>;
  /** The hashes of a source; undefined if they are gone. */
  hashesOf(source: Source): Promise<ReadonlySet<number> | undefined>;
  /** A source of any context by its call, if its hashes are stored. */
  findSource(call: string): Promise<Source | undefined>;
}

export interface ContextsPorts {
  /** The records of kinds `shelves` and `hashes`. Only one process writes a record at a time. */
  readonly records: Readonly<Record<string, PluginRecords>>;
  readonly now: () => number;
  /** Contexts lose their labels this long after the last labelled result. */
  readonly expireMs: number;
  readonly bounds?: Bounds;
}

/**
 * The labels of conversations in records of the plugin. The number of records is fixed. Where there is no more space, the oldest
 * entries are left out and their labels apply to everything, so that nothing loses its labels.
 */
export function createContexts(ports: ContextsPorts, cache: HashCache): Contexts {
  const { records, now, expireMs, bounds = defaultBounds } = ports;
  const shelves = records.shelves as unknown as PluginRecords<Shelf>;
  const stored = records.hashes as unknown as PluginRecords<StoredHashes>;
  const shelfOf = (context: string) => `${Number.parseInt(context.slice(0, 8), 16) % bounds.shelves}`;
  const isCurrent = ({ at }: Pick<Context, 'at'>) => at + expireMs > now();

  function contextIn(shelf: Shelf | undefined, context: string): Context {
    const known = shelf && Object.hasOwn(shelf.contexts, context) ? shelf.contexts[context] : undefined;
    if (known && isCurrent(known)) return known;
    const { evicted } = shelf ?? {};
    return evicted && isCurrent(evicted) ? { ...empty, labels: evicted.labels, lost: evicted.labels } : empty;
  }

  /** Changes a context. Another replica may change its record at the same time. */
  async function update(context: string, change: (before: Context) => Context): Promise<void> {
    const id = shelfOf(context);
    for (;;) {
      const before = await shelves.get(id);
      const { shelf, removed } = store(before ?? { id, contexts: {} }, context, change(contextIn(before, context)));
      if (!(await shelves.put(shelf, before?.revision ?? 0))) continue;
      await Promise.all(removed.flatMap(recordsOf).map((record) => stored.remove(record)));
      return;
    }
  }

  /** The shelf with a changed context, within the bounds, and the sources whose hashes are left out. */
  function store(shelf: Shelf, id: string, changed: Context): { readonly shelf: Shelf; readonly removed: Source[] } {
    const removed: Source[] = [];
    const expired = Object.entries(shelf.contexts).filter(([other, one]) => other !== id && !isCurrent(one));
    removed.push(...expired.flatMap(([, { sources }]) => sources));
    const others = Object.entries(shelf.contexts)
      .filter(([other, one]) => other !== id && isCurrent(one))
      .sort(([, one], [, other]) => other.at - one.at);
    const bounded = limitContext(changed);
    const kept: [string, Context][] = [[id, bounded]];
    let left = bounds.hashesPerShelf - count(bounded);
    let evicted = shelf.evicted && isCurrent(shelf.evicted) ? shelf.evicted : undefined;
    for (const [other, one] of others) {
      left -= count(one);
      if (kept.length < bounds.contextsPerShelf && left >= 0) kept.push([other, one]);
      else {
        removed.push(...one.sources);
        evicted = { labels: union(evicted?.labels ?? [], one.labels), at: Math.max(evicted?.at ?? 0, one.at) };
      }
    }
    removed.push(...changed.sources.filter((source) => !bounded.sources.includes(source)));
    return { shelf: { id: shelf.id, contexts: Object.fromEntries(kept), ...(evicted && { evicted }) }, removed };
  }

  function limitContext(context: Context): Context {
    let [hashes, length] = [0, 0];
    const kept = context.sources.filter((source) => {
      hashes += source.hashes ?? 0;
      length += JSON.stringify(source).length;
      return hashes <= bounds.hashesPerContext && length <= bounds.listLength;
    });
    if (kept.length === context.sources.length) return context;
    const dropped = context.sources.filter((source) => !kept.includes(source)).flatMap(({ labels }) => labels);
    return { ...context, sources: kept, lost: union(context.lost, dropped) };
  }

  return {
    bounds,
    read: async (context) => contextIn(await shelves.get(shelfOf(context)), context),
    async addSource(context, given, hashes) {
      const isStored = hashes !== undefined && hashes.size <= bounds.hashesPerSource;
      const source: Source = isStored ? { ...given, hashes: hashes.size } : given;
      if (isStored) {
        const parts = toParts(hashes);
        const ids = recordsOf(source);
        await Promise.all(ids.map((id, at) => stored.put({ ...source, id, content: parts[at] ?? '' })));
        cache.add(source.call, hashes, bounds.hashesInMemory);
      }
      await update(context, (before) => ({
        ...before,
        labels: union(before.labels, source.labels),
        // Newest first.
        sources: [source, ...before.sources.filter(({ call }) => call !== source.call)],
        at: now(),
      }));
    },
    allow: (context, flows) =>
      update(context, (before) => ({
        ...before,
        at: before.at || now(),
        allowed: union(flows, before.allowed).slice(0, maxAllowed),
      })),
    async hashesOf(source) {
      const known = cache.get(source.call);
      if (known) return known;
      const parts = await Promise.all(recordsOf(source).map((id) => stored.get(id)));
      if (parts.some((part) => part === undefined)) return undefined;
      const hashes = fromParts(parts.map((part) => part?.content ?? ''));
      cache.add(source.call, hashes, bounds.hashesInMemory);
      return hashes;
    },
    async findSource(call) {
      const record = await stored.get(recordId(call, 0));
      if (!record) return undefined;
      const { server, tool, labels, origins, hashes } = record;
      return { call, server, tool, labels, origins, hashes };
    },
  };
}

/** The hashes of sources in memory. Those of a call never change. */
export interface HashCache {
  get(call: string): ReadonlySet<number> | undefined;
  add(call: string, hashes: ReadonlySet<number>, maxHashes: number): void;
}

export function createHashCache(): HashCache {
  const known = new Map<string, ReadonlySet<number>>();
  let total = 0;
  return {
    get(call) {
      const hashes = known.get(call);
      if (!hashes) return undefined;
      known.delete(call);
      known.set(call, hashes);
      return hashes;
    },
    add(call, hashes, maxHashes) {
      total += hashes.size - (known.get(call)?.size ?? 0);
      known.delete(call);
      known.set(call, hashes);
      for (const [oldest, { size }] of known) {
        if (total <= maxHashes) return;
        total -= size;
        known.delete(oldest);
      }
    },
  };
}

const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
const count = ({ sources }: Context) => sources.reduce((sum, { hashes = 0 }) => sum + hashes, 0);
const recordId = (call: string, part: number) => `${call}.${part}`;

function recordsOf({ call, hashes }: Source): readonly string[] {
  if (hashes === undefined) return [];
  const parts = Math.max(1, Math.ceil(hashes / hashesPerRecord));
  return Array.from({ length: parts }, (_, part) => recordId(call, part));
}

function toParts(hashes: ReadonlySet<number>): readonly string[] {
  const bytes = Buffer.alloc(hashes.size * bytesPerHash);
  let at = 0;
  for (const hash of hashes) at = bytes.writeUIntBE(hash, at, bytesPerHash);
  const size = hashesPerRecord * bytesPerHash;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, part) =>
    bytes.toString('base64', part * size, Math.min(bytes.length, (part + 1) * size)),
  );
}

function fromParts(parts: readonly string[]): ReadonlySet<number> {
  const hashes = new Set<number>();
  for (const part of parts) {
    const bytes = Buffer.from(part, 'base64');
    for (let at = 0; at < bytes.length; at += bytesPerHash) hashes.add(bytes.readUIntBE(at, bytesPerHash));
  }
  return hashes;
}
