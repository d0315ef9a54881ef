import type { Call } from '../../api/client.ts';
import type { Outcome } from '../../text/calls-texts.ts';
import type { ListedCall } from './merge-calls.ts';

/** The filter of the list. The address of the page contains it, so that it can be shared. */
export interface CallFilter {
  /** A part of the tool's name, the server or the caller's id. */
  readonly search?: string;
  readonly server?: string;
  /** The exposed or original name of a tool. */
  readonly tool?: string;
  readonly status?: Call['status'];
  /** How calls with the status `error` ended: in one of these ways. */
  readonly end?: readonly End[];
  readonly caller?: string;
  /** A time range up to now. */
  readonly range?: Range;
  /** ISO times, instead of a range. */
  readonly since?: string;
  readonly until?: string;
}

/** The time ranges up to now, in milliseconds. */
export const ranges = { '15m': 15 * 60_000, '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000 } as const;

export type Range = keyof typeof ranges;

type End = NonNullable<Call['end']>;

export const statuses = ['pending', 'running', 'success', 'error'] as const;

export const ends: readonly End[] = [
  'tool',
  'failed',
  'timeout',
  'denied',
  'expired',
  'invalid',
  'cancelled',
  'unknown-outcome',
];

/** Reads the filter from the address. Invalid values are ignored. */
export function readFilter(search: URLSearchParams): CallFilter {
  const text = (name: string) => search.get(name)?.trim() || undefined;
  const status = text('status');
  const given = text('end')?.split(',');
  const end = ends.filter((known) => given?.includes(known));
  const range = text('range');
  const [since, until] = [toIsoTime(text('since')), toIsoTime(text('until'))];
  return omitUndefined({
    search: text('search'),
    server: text('server'),
    tool: text('tool'),
    status: statuses.find((known) => known === status),
    end: end.length > 0 ? end : undefined,
    caller: text('caller'),
    range: range !== undefined && Object.hasOwn(ranges, range) ? (range as Range) : undefined,
    ...(range === undefined && { since, until }),
  });
}

/** The filter as search parameters of the address. */
export function writeFilter(filter: CallFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(omitUndefined(filter)).map(([name, value]) => [name, String(value)]));
}

/** The query of `listCalls`. */
export interface CallQuery extends Omit<CallFilter, 'range' | 'end'> {
  /** Separated by commas. */
  readonly end?: string;
}

/** The query for the gateway. A range begins at a whole minute. */
export function toQuery({ range, end, ...filter }: CallFilter, now: number): CallQuery {
  const query: CallQuery = end === undefined ? filter : { ...filter, end: end.join(',') };
  if (range === undefined) return query;
  const since = new Date(Math.floor((now - ranges[range]) / 60_000) * 60_000).toISOString();
  return { ...query, since };
}

/** The outcomes that the statistics count apart, and the filter of exactly the calls that each counts. */
export const outcomeFilters = {
  success: { status: 'success' },
  error: { status: 'error', end: ['tool', 'failed', 'timeout'] },
  denied: { status: 'error', end: ['denied'] },
  expired: { status: 'error', end: ['expired'] },
  invalid: { status: 'error', end: ['invalid'] },
  cancelled: { status: 'error', end: ['cancelled'] },
  unknown: { status: 'error', end: ['unknown-outcome'] },
} as const satisfies Readonly<Record<Outcome, Pick<CallFilter, 'status' | 'end'>>>;

/** The filter with the period that the statistics count: without one, the last 24 hours. */
export function inCountedPeriod(filter: CallFilter): CallFilter {
  const hasPeriod = filter.range !== undefined || filter.since !== undefined || filter.until !== undefined;
  return hasPeriod ? filter : { ...filter, range: '24h' };
}

/** The query for the statistics: of the filtered time, or of the last 24 hours. They count all outcomes. */
export function toStatsQuery({ range = '24h', since, until, server, tool, caller, search }: CallFilter, now: number) {
  const isBetween = since !== undefined || until !== undefined;
  const period = isBetween ? { since, until } : { since: toQuery({ range }, now).since };
  return { ...period, server, tool, caller, search };
}

/** Whether a call matches the query. */
export function matchesQuery(call: ListedCall, query: CallQuery): boolean {
  const { search, server, tool, status, end, caller, since, until } = query;
  if (server !== undefined && call.server !== server) return false;
  if (tool !== undefined && call.tool !== tool && call.originalName !== tool) return false;
  if (search !== undefined) {
    const texts = [call.tool, call.originalName, call.server ?? '', call.caller.id];
    if (!texts.some((text) => text.toLowerCase().includes(search.toLowerCase()))) return false;
  }
  if (end !== undefined && !(call.status === 'error' && end.split(',').includes(call.end ?? 'failed'))) return false;
  if (status !== undefined && call.status !== status) return false;
  if (caller !== undefined && call.caller.id !== caller) return false;
  const at = Date.parse(call.createdAt);
  return (since === undefined || at >= Date.parse(since)) && (until === undefined || at < Date.parse(until));
}

function toIsoTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function omitUndefined<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}
