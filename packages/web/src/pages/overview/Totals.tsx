import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { CallStats, Health } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { formatDuration, formatNumber, formatP95 } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { outcomeFilters, writeFilter } from '../calls/call-filter.ts';
import { listUnsuccessful, type Range, ranges } from './overview-queries.ts';

export interface TotalsProps {
  readonly health: Health | undefined;
  readonly stats: CallStats | undefined;
  readonly range: Range;
}

/** The key figures of the gateway. */
export function Totals({ health, stats, range }: TotalsProps) {
  const servers = useQuery(queries.servers()).data;
  const tools = servers?.reduce((sum, { offers }) => sum + (offers.tools?.count ?? 0), 0);
  const enabled = servers?.filter((server) => server.enabled).length;
  const disabled = (servers?.length ?? 0) - (enabled ?? 0);
  const totals = stats?.totals;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
      <Total
        href="/servers"
        name="Servers connected"
        value={
          health && enabled !== undefined
            ? `${formatNumber(health.servers.connected)} of ${formatNumber(enabled)}`
            : undefined
        }
        detail={health && describeOthers(health, disabled)}
      />
      <Total
        href="/tools"
        name="Tools"
        value={tools === undefined ? undefined : formatNumber(tools)}
        detail={health && `${plural(health.sessions, 'client')} connected`}
      />
      <Total
        href={`/calls?range=${ranges[range].inCalls}`}
        name={`Calls in ${ranges[range].description}`}
        value={totals && formatNumber(totals.calls)}
        detail={totals && <Unsuccessful totals={totals} range={range} />}
      />
      <Total
        href="/calls"
        name="Median call duration"
        value={totals && (totals.p50Ms === undefined ? '–' : formatDuration(totals.p50Ms))}
        detail={totals && (totals.p95Ms === undefined ? 'no call ended yet' : formatP95(totals.calls, totals.p95Ms))}
      />
    </dl>
  );
}

interface TotalProps {
  readonly href: string;
  readonly name: string;
  readonly value: ReactNode;
  readonly detail: ReactNode;
}

function Total({ href, name, value, detail }: TotalProps) {
  return (
    <div className="relative bg-surface px-4 py-3 hover:bg-sunken">
      <dt className="text-xs text-ink-soft">
        <Link href={href} className="after:absolute after:inset-0">
          {name}
        </Link>
      </dt>
      <dd>
        <span className="text-xl font-semibold tracking-tight tabular-nums">{value ?? '…'}</span>
        <span className="block text-xs text-ink-faint">{detail ?? ' '}</span>
      </dd>
    </div>
  );
}

interface UnsuccessfulProps {
  readonly totals: CallStats['totals'];
  readonly range: Range;
}

/** "2 failed 1 denied"; each links to these calls. */
function Unsuccessful({ totals, range }: UnsuccessfulProps) {
  const counts = listUnsuccessful(totals);
  if (counts.length === 0) return 'none failed';
  return (
    <span className="flex flex-wrap gap-x-2">
      {counts.map(({ outcome, label }) => (
        <Link
          key={outcome}
          href={`/calls?${writeFilter({ range: ranges[range].inCalls, ...outcomeFilters[outcome] })}`}
          className="relative underline-offset-2 hover:text-ink hover:underline"
        >
          {label}
        </Link>
      ))}
    </span>
  );
}

function describeOthers({ servers: { error, degraded, connecting } }: Health, disabled: number): string {
  const parts = [
    error > 0 && `${formatNumber(error)} in error`,
    degraded > 0 && `${formatNumber(degraded)} degraded`,
    connecting > 0 && `${formatNumber(connecting)} connecting`,
  ].filter(Boolean);
  if (parts.length === 0) parts.push('none in error');
  if (disabled > 0) parts.push(`${formatNumber(disabled)} disabled`);
  return parts.join(', ');
}
