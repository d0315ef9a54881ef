import type { CallStats } from '../../../contract/api/calls.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import { evictOldest } from '../../../toolwharf/kernel/evict-oldest.ts';
import type {
  CallCounter,
  CallOutcome,
  CountedCalls,
  CountedGroup,
} from '../../../toolwharf/storage/ports/call-counts.ts';

export interface CallStatsQuery {
  /** Milliseconds since 1970; `since` is inclusive, `until` is exclusive. */
  readonly since: number;
  readonly until: number;
  readonly buckets: number;
  /** Counts only the calls of this caller. */
  readonly caller?: string;
  /** Counts only the calls of this server. */
  readonly server?: string;
  /** Counts only the calls of the tool with this exposed or original name. */
  readonly tool?: string;
  /** Counts only calls with this text in the names of their tool, server or caller. */
  readonly search?: string;
}

/** Counts calls over time, and by tool, server and caller. */
export interface CallStatsReader {
  read(query: CallStatsQuery): Promise<CallStats>;
}

export interface CallStatsOptions {
  readonly storage: { readonly journal: Pick<Journal, 'list'>; readonly callCounts: Pick<CallCounter, 'count'> };
  readonly now?: () => number;
}

const busiest = 20;
/** The upper bounds of the duration distribution. */
const durationBounds = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 120_000, undefined] as const;

/** Statistics are used again for this many times as long as it took to read them, so that pages that refresh them stay cheap. */
const reuseFactor = 10;
const maxReuseMs = 60_000;
const maxKept = 100;

interface Kept {
  readonly until: number;
  readonly stats: Promise<CallStats>;
  /** Infinite while they are read. */
  reusableUntil: number;
  reuseMs: number;
}

/** Creates a reader that shares the statistics of equal periods that end at almost the same time. */
export function createCallStats({ storage, now = Date.now }: CallStatsOptions): CallStatsReader {
  const kept = new Map<string, Kept>();
  return {
    read(query) {
      const key = JSON.stringify({ ...query, since: query.until - query.since, until: undefined });
      const latest = kept.get(key);
      const lag = latest ? query.until - latest.until : 0;
      if (latest && lag >= 0 && lag <= latest.reuseMs && now() <= latest.reusableUntil) return latest.stats;
      const startedAt = now();
      const stats = readCallStats(query, storage);
      const entry: Kept = { until: query.until, stats, reusableUntil: Number.POSITIVE_INFINITY, reuseMs: maxReuseMs };
      kept.delete(key);
      kept.set(key, entry);
      evictOldest(kept, maxKept);
      stats.then(
        () => {
          entry.reuseMs = Math.min((now() - startedAt) * reuseFactor, maxReuseMs);
          entry.reusableUntil = now() + entry.reuseMs;
        },
        () => {
          if (kept.get(key) === entry) kept.delete(key);
        },
      );
      return stats;
    },
  };
}

async function readCallStats(query: CallStatsQuery, storage: CallStatsOptions['storage']): Promise<CallStats> {
  const { since, until, buckets: intervals, ...filter } = query;
  const bucketMs = Math.max(1, Math.ceil((until - since) / intervals));
  const counts = await storage.callCounts.count({ ...filter, since, until, bucketMs, busiest });
  const inBucket = Map.groupBy(counts.buckets, ({ bucket }) => bucket);
  return {
    since: toIso(since),
    until: toIso(until),
    bucketMs,
    buckets: Array.from({ length: Math.ceil((until - since) / bucketMs) }, (_, index) => {
      const { calls: _calls, ...ends } = total(inBucket.get(index) ?? []);
      return { start: toIso(since + index * bucketMs), ...ends };
    }),
    totals: total(counts.buckets),
    tools: counts.tools.map(({ key, server, originalName = key, parts }) => ({
      tool: key,
      server,
      originalName,
      ...total(parts),
    })),
    servers: counts.servers.map(({ key, parts }) => ({ server: key === '' ? undefined : key, ...total(parts) })),
    callers: await Promise.all(
      counts.callers.map(async (group) => ({
        caller: group.key,
        name: await nameOf(group, storage.journal),
        ...total(group.parts),
      })),
    ),
    durations: distribute(counts.buckets),
  };
}

/** The name that a caller had in its latest call. */
async function nameOf({ key }: CountedGroup, journal: Pick<Journal, 'list'>): Promise<string | undefined> {
  const [latest] = await journal.list({ kind: 'calls', caller: key, limit: 1 });
  return latest?.caller.name;
}

function distribute(parts: readonly CountedCalls[]): CallStats['durations'] {
  const counts = durationBounds.map(() => 0);
  for (const { durationMs, calls } of parts) {
    if (durationMs === undefined) continue;
    const index = durationBounds.findIndex((bound) => bound === undefined || durationMs <= bound);
    counts[index] = (counts[index] ?? 0) + calls;
  }
  return durationBounds.map((upToMs, index) => ({ upToMs, calls: counts[index] ?? 0 }));
}

function total(parts: readonly CountedCalls[]): CallStats['totals'] {
  const ended = (...outcomes: readonly CallOutcome[]) =>
    parts.reduce((sum, { outcome, calls }) => (outcomes.includes(outcome) ? sum + calls : sum), 0);
  const durations = parts
    .flatMap(({ durationMs, calls }) => (durationMs === undefined ? [] : [{ durationMs, calls }]))
    .sort((one, other) => one.durationMs - other.durationMs);
  return {
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
    success: ended('success'),
    error: ended('tool', 'timeout', 'failed'),
    denied: ended('denied'),
    expired: ended('expired'),
    invalid: ended('invalid'),
    cancelled: ended('cancelled'),
    unknown: ended('unknown-outcome'),
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  };
}

/** The nearest-rank percentile. */
function percentile(
  sorted: readonly { readonly durationMs: number; readonly calls: number }[],
  part: number,
): number | undefined {
  const all = sorted.reduce((sum, { calls }) => sum + calls, 0);
  let left = Math.max(1, Math.ceil(all * part));
  return sorted.find(({ calls }) => {
    left -= calls;
    return left <= 0;
  })?.durationMs;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
