import type { CallEnd, CallStatus } from '../../../contract/calls.ts';
import type { CallRecord } from '../../invocation/call-record.ts';

/** How a call ended, or its status while it is open. */
export type CallOutcome = Exclude<CallStatus, 'error'> | CallEnd;

export interface CallCountQuery {
  /** Milliseconds since 1970, whole numbers; `since` is inclusive, `until` is exclusive. */
  readonly since: number;
  readonly until: number;
  /** The length of an interval, a whole number. */
  readonly bucketMs: number;
  /** Counts only the calls of this caller. */
  readonly caller?: string;
  /** Counts only the calls of this server. */
  readonly server?: string;
  /** Counts only the calls of the tool with this exposed or original name. */
  readonly tool?: string;
  /** Counts only calls with this text in the names of their tool, server or caller. */
  readonly search?: string;
  /** How many tools, servers and callers are counted apart: those with the most calls. */
  readonly busiest: number;
}

/** A number of calls with the same outcome and duration. */
export interface CountedCalls {
  readonly calls: number;
  readonly outcome: CallOutcome;
  /** The time from dispatch to completion, from one second on rounded down to three digits. */
  readonly durationMs?: number;
}

/** The calls of one tool, server or caller, in as many parts as there are outcomes and durations. */
export interface CountedGroup {
  readonly key: string;
  readonly server?: string;
  readonly originalName?: string;
  readonly parts: readonly CountedCalls[];
}

/** All calls that match a query, counted. Each list of groups begins with the one that has the most calls. */
export interface CallCounts {
  /** By interval: 0 is the one that begins with `since`. */
  readonly buckets: readonly (CountedCalls & { readonly bucket: number })[];
  /** By exposed name. */
  readonly tools: readonly CountedGroup[];
  /** By name of the server; the tools of this program have none and are counted under an empty name. */
  readonly servers: readonly CountedGroup[];
  /** By the caller's id. */
  readonly callers: readonly CountedGroup[];
}

/** A period in intervals. Milliseconds since 1970, whole numbers; `since` is inclusive, `until` is exclusive. */
export type CountedPeriod = Pick<CallCountQuery, 'since' | 'until' | 'bucketMs'>;

/** How often a rule decided calls, or in shadow mode would have decided them. */
export interface RuleDecisions {
  readonly id: string;
  readonly mode: string;
  readonly effect: string;
  /** By interval: 0 is the one that begins with `since`. */
  readonly buckets: readonly { readonly bucket: number; readonly calls: number }[];
  /** The latest ones, newest first. */
  readonly latest: readonly { readonly id: string; readonly tool: string; readonly at: number }[];
}

/** Counts recorded calls where they are stored, however many there are. */
export interface CallCounter {
  count(query: CallCountQuery): Promise<CallCounts>;
  /** Counts the decisions of rules of policies, with at most `latest` calls of each. */
  countRules(period: CountedPeriod, latest: number): Promise<readonly RuleDecisions[]>;
}

export function outcomeOf({ status, end }: Pick<CallRecord, 'status' | 'end'>): CallOutcome {
  return status === 'error' ? (end ?? 'failed') : status;
}

/** The time from dispatch to completion; undefined for a call that was not sent or is not over. */
export function durationOf({ startedAt, completedAt }: CallRecord): number | undefined {
  if (startedAt === undefined || completedAt === undefined) return undefined;
  const duration = Date.parse(completedAt) - Date.parse(startedAt);
  return Number.isFinite(duration) ? Math.max(0, duration) : undefined;
}

/** Durations from each of these on are rounded down to a multiple of the step, so that equal ones can be counted together. */
export const durationSteps = [
  { fromMs: 100_000_000, stepMs: 1_000_000 },
  { fromMs: 10_000_000, stepMs: 100_000 },
  { fromMs: 1_000_000, stepMs: 10_000 },
  { fromMs: 100_000, stepMs: 1_000 },
  { fromMs: 10_000, stepMs: 100 },
  { fromMs: 1_000, stepMs: 10 },
] as const;
