import { useMemo } from 'react';
import type { CallStats } from '../../api/client.ts';
import { outcomes } from '../../text/calls-texts.ts';
import { capitalize } from '../../text/capitalize.ts';
import { formatDuration, formatNumber, formatP95 } from '../../text/formats.ts';
import { describeUnsuccessful, type Range, ranges } from './overview-queries.ts';
import { type PlotSeries, TimePlot } from './TimePlot.tsx';

const counted: readonly PlotSeries[] = outcomes.map(({ word, colour }) => ({
  label: capitalize(word),
  colour,
  shape: 'bars',
}));

const durations: readonly PlotSeries[] = [
  { label: 'Median', colour: '--accent', shape: 'line' },
  { label: 'p95', colour: '--info', shape: 'line' },
];

/** The two plots. Loaded on demand, together with the plot library. */
export default function StatsPlots({ stats, range }: { readonly stats: CallStats; readonly range: Range }) {
  const { buckets, totals, since, until } = stats;
  const starts = useMemo(() => buckets.map(({ start }) => Date.parse(start) / 1_000), [buckets]);
  const counts = useMemo(() => outcomes.map(({ outcome }) => buckets.map((bucket) => bucket[outcome])), [buckets]);
  const percentiles = useMemo(
    () => [buckets.map(({ p50Ms }) => p50Ms ?? null), buckets.map(({ p95Ms }) => p95Ms ?? null)],
    [buckets],
  );
  const bounds = useMemo(() => [Date.parse(since) / 1_000, Date.parse(until) / 1_000] as const, [since, until]);
  const period = ranges[range].description;
  const shared = { starts, bounds, showsDays: range === 'week' };
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <TimePlot
        {...shared}
        title="Calls"
        description={`Calls in ${period}: ${formatNumber(totals.success)} succeeded, ${describeUnsuccessful(totals)}.`}
        series={counted}
        values={counts}
        isStacked
        format={(value) => formatNumber(value)}
      />
      <TimePlot
        {...shared}
        title="Call duration"
        description={describeDurations(period, totals)}
        series={durations}
        values={percentiles}
        format={formatDuration}
      />
    </div>
  );
}

function describeDurations(period: string, { calls, p50Ms, p95Ms }: CallStats['totals']): string {
  if (p50Ms === undefined || p95Ms === undefined) return `No call ended in ${period}.`;
  return `Call duration in ${period}: median ${formatDuration(p50Ms)}, ${formatP95(calls, p95Ms)}.`;
}
