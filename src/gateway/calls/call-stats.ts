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
}

const busiest = 20;

/** Counts calls over time and by tool. */
export async function readCallStats(query: CallStatsQuery, summaries: CallSummaries): Promise<CallStats> {
  const { since, until, caller } = query;
  const { calls: found, truncated } = await summaries.since(since);
  const calls = found
    .filter((call) => call.createdAt < until)
    .filter((call) => caller === undefined || call.caller === caller);
  const bucketMs = Math.max(1, Math.ceil((until - since) / query.buckets));
  const count = Math.ceil((until - since) / bucketMs);
  const inBucket = Map.groupBy(calls, ({ createdAt }) => Math.floor((createdAt - since) / bucketMs));
  const ofTool = [...Map.groupBy(calls, ({ tool }) => tool).values()]
    .sort((one, other) => other.length - one.length)
    .slice(0, busiest);
  return {
    since: toIso(since),
    until: toIso(until),
    bucketMs,
    buckets: Array.from({ length: count }, (_, index) => ({
      start: toIso(since + index * bucketMs),
      ...countsOf(inBucket.get(index) ?? []),
    })),
    totals: { calls: calls.length, ...countsOf(calls) },
    tools: ofTool.flatMap((own) => {
      const [first] = own;
      if (!first) return [];
      const { tool, server, originalName } = first;
      return {
        tool,
        server,
        originalName,
        calls: own.length,
        ...countsOf(own),
      };
    }),
    truncated,
  };
}

function countsOf(calls: readonly CallSummary[]): Omit<CallStats['totals'], 'calls'> {
  const countEnds = (sought: CallEnd) => calls.filter(({ end }) => end === sought).length;
  const [denied, invalid, cancelled] = [countEnds('denied'), countEnds('invalid'), countEnds('cancelled')];
  const durations = calls.flatMap(({ durationMs }) => durationMs ?? []).sort((one, other) => one - other);
  const [p50Ms, p95Ms] = [percentile(durations, 0.5), percentile(durations, 0.95)];
  return {
    success: calls.filter(({ status }) => status === 'success').length,
    error: calls.filter(({ status }) => status === 'error').length - denied - invalid - cancelled,
    denied,
    invalid,
    cancelled,
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
