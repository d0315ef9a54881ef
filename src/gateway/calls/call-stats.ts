import type { CallEnd } from '../../invocation/call-record.ts';
import type { CallStats } from '../api/schemas/calls.ts';
import type { CallSummaries, CallSummary } from './call-summaries.ts';

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

const busiest = 20;
/** The upper bounds of the duration distribution. */
const durationBounds = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 120_000, undefined] as const;

/** Counts calls over time, and by tool, server and caller. */
export async function readCallStats(query: CallStatsQuery, summaries: CallSummaries): Promise<CallStats> {
  const { since, until } = query;
  const { calls: found, truncated } = await summaries.since(since);
  const calls = found.filter((call) => matches(call, query));
  const bucketMs = Math.max(1, Math.ceil((until - since) / query.buckets));
  const count = Math.ceil((until - since) / bucketMs);
  const inBucket = Map.groupBy(calls, ({ createdAt }) => Math.floor((createdAt - since) / bucketMs));
  return {
    since: toIso(since),
    until: toIso(until),
    bucketMs,
    buckets: Array.from({ length: count }, (_, index) => ({
      start: toIso(since + index * bucketMs),
      ...countsOf(inBucket.get(index) ?? []),
    })),
    totals: { calls: calls.length, ...countsOf(calls) },
    tools: countBy(calls, ({ tool, server, originalName }) => [tool, { tool, server, originalName }]),
    servers: countBy(calls, ({ server }) => [server ?? '', { server }]),
    callers: countBy(calls, ({ caller, callerName }) => [caller, { caller, name: callerName }]),
    durations: distribute(calls.flatMap(({ durationMs }) => durationMs ?? [])),
    truncated,
  };
}

function matches(call: CallSummary, { until, caller, server, tool, search }: CallStatsQuery): boolean {
  if (call.createdAt >= until) return false;
  if (caller !== undefined && call.caller !== caller) return false;
  if (server !== undefined && call.server !== server) return false;
  if (tool !== undefined && call.tool !== tool && call.originalName !== tool) return false;
  if (search === undefined) return true;
  const texts = [call.tool, call.originalName, call.server ?? '', call.caller];
  return texts.some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

/** The groups with the most calls, busiest first. */
function countBy<Facts extends object>(
  calls: readonly CallSummary[],
  group: (call: CallSummary) => readonly [key: string, facts: Facts],
) {
  return [...Map.groupBy(calls, (call) => group(call)[0]).values()]
    .sort((one, other) => other.length - one.length)
    .slice(0, busiest)
    .map((own) => ({ ...group(own[0] as CallSummary)[1], calls: own.length, ...countsOf(own) }));
}

function distribute(durations: readonly number[]): CallStats['durations'] {
  const counts = durationBounds.map(() => 0);
  for (const duration of durations) {
    const index = durationBounds.findIndex((bound) => bound === undefined || duration <= bound);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return durationBounds.map((upToMs, index) => ({ upToMs, calls: counts[index] ?? 0 }));
}

function countsOf(calls: readonly CallSummary[]): Omit<CallStats['totals'], 'calls'> {
  const countEnds = (sought: CallEnd) => calls.filter(({ end }) => end === sought).length;
  const [denied, invalid, cancelled] = [countEnds('denied'), countEnds('invalid'), countEnds('cancelled')];
  const unknown = countEnds('unknown-outcome');
  const durations = calls.flatMap(({ durationMs }) => durationMs ?? []).sort((one, other) => one - other);
  const [p50Ms, p95Ms] = [percentile(durations, 0.5), percentile(durations, 0.95)];
  return {
    success: calls.filter(({ status }) => status === 'success').length,
    error: calls.filter(({ status }) => status === 'error').length - denied - invalid - cancelled - unknown,
    denied,
    invalid,
    cancelled,
    unknown,
    p50Ms,
    p95Ms,
  };
}

/** The nearest-rank percentile. */
function percentile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
