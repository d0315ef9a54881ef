import type { Call } from '../../api/client.ts';
import type { ListedCall } from './merge-calls.ts';

/** Which calls are shown; kept in the address, so that it can be shared and gone back to. */
export interface CallFilter {
  readonly server?: string;
  readonly tool?: string;
  readonly status?: Call['status'];
  readonly caller?: string;
  /** A time up to now. */
  readonly range?: Range;
  /** ISO times, where it is not a range. */
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

export const statuses = { pending: 'Waiting', running: 'Running', success: 'Success', error: 'Error' } as const;

/** The filter that an address has. What makes no sense is left out. */
export function readFilter(search: URLSearchParams): CallFilter {
  const text = (name: string) => search.get(name)?.trim() || undefined;
  const status = text('status');
  const range = text('range');
  const [since, until] = [toTime(text('since')), toTime(text('until'))];
  return withoutUnset({
    server: text('server'),
    tool: text('tool'),
    status: status !== undefined && Object.hasOwn(statuses, status) ? (status as Call['status']) : undefined,
    caller: text('caller'),
    range: range !== undefined && Object.hasOwn(ranges, range) ? (range as Range) : undefined,
    ...(range === undefined && { since, until }),
  });
}

/** The filter as an address has it. */
export function writeFilter(filter: CallFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(withoutUnset(filter)).map(([name, value]) => [name, String(value)]));
}

/** What the gateway is asked for. A range ends now, and begins at a whole minute. */
export function toQuery({ range, ...filter }: CallFilter, now: number) {
  if (range === undefined) return filter;
  const since = new Date(Math.floor((now - ranges[range].ms) / 60_000) * 60_000).toISOString();
  return { ...filter, since };
}

/** Whether a call belongs to what was asked for. */
export function fitsQuery(call: ListedCall, query: ReturnType<typeof toQuery>): boolean {
  const { server, tool, status, caller, since, until } = query;
  if (server !== undefined && call.server !== server) return false;
  if (tool !== undefined && call.tool !== tool && call.originalName !== tool) return false;
  if (status !== undefined && call.status !== status) return false;
  if (caller !== undefined && call.caller.id !== caller) return false;
  const at = Date.parse(call.createdAt);
  return (since === undefined || at >= Date.parse(since)) && (until === undefined || at < Date.parse(until));
}

function toTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function withoutUnset<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}
