import type { Call } from '../../api/client.ts';
import type { ListedCall } from './merge-calls.ts';

/** The filter of the list. The address of the page contains it, so that it can be shared. */
export interface CallFilter {
  readonly server?: string;
  readonly tool?: string;
  readonly status?: Call['status'];
  readonly caller?: string;
  /** A time range up to now. */
  readonly range?: Range;
  /** ISO times, instead of a range. */
  readonly since?: string;
  readonly until?: string;
}

export const ranges = {
  '15m': { label: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
} as const;

export type Range = keyof typeof ranges;

export const statuses = { pending: 'Pending', running: 'Running', success: 'Success', error: 'Error' } as const;

/** Reads the filter from the address. Invalid values are ignored. */
export function readFilter(search: URLSearchParams): CallFilter {
  const text = (name: string) => search.get(name)?.trim() || undefined;
  const status = text('status');
  const range = text('range');
  const [since, until] = [toIsoTime(text('since')), toIsoTime(text('until'))];
  return omitUndefined({
    server: text('server'),
    tool: text('tool'),
    status: status !== undefined && Object.hasOwn(statuses, status) ? (status as Call['status']) : undefined,
    caller: text('caller'),
    range: range !== undefined && Object.hasOwn(ranges, range) ? (range as Range) : undefined,
    ...(range === undefined && { since, until }),
  });
}

/** The filter as search parameters of the address. */
export function writeFilter(filter: CallFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(omitUndefined(filter)).map(([name, value]) => [name, String(value)]));
}

/** The query for the gateway. A range begins at a whole minute. */
export function toQuery({ range, ...filter }: CallFilter, now: number) {
  if (range === undefined) return filter;
  const since = new Date(Math.floor((now - ranges[range].ms) / 60_000) * 60_000).toISOString();
  return { ...filter, since };
}

/** Whether a call matches the query. */
export function matchesQuery(call: ListedCall, query: ReturnType<typeof toQuery>): boolean {
  const { server, tool, status, caller, since, until } = query;
  if (server !== undefined && call.server !== server) return false;
  if (tool !== undefined && call.tool !== tool && call.originalName !== tool) return false;
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
