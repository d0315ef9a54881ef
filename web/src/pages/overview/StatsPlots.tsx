import { useMemo } from 'react';
import type { CallStats } from '../../api/client.ts';
import { formatDuration } from '../../components/times.tsx';
import { type Range, ranges } from './overview-queries.ts';
import { type PlotSeries, TimePlot } from './TimePlot.tsx';

// Stacked: each is drawn over the sum of itself and those after it.
const outcomes: readonly PlotSeries[] = [
  { label: 'Success', colour: '--accent', shape: 'bars' },
  { label: 'Failed', colour: '--bad', shape: 'bars' },
  { label: 'Denied', colour: '--warn', shape: 'bars' },
];

const times: readonly PlotSeries[] = [
  { label: 'Median', colour: '--accent', shape: 'line' },
  { label: '95 %', colour: '--info', shape: 'line' },
];

/** The two plots. Loaded apart from the page, with the library that draws them. */
export default function StatsPlots({ stats, range }: { readonly stats: CallStats; readonly range: Range }) {
  const { buckets, totals, since, until } = stats;
  const starts = useMemo(() => buckets.map(({ start }) => Date.parse(start) / 1_000), [buckets]);
  const counts = useMemo(
    () => [
      buckets.map(({ success }) => success),
      buckets.map(({ error }) => error),
      buckets.map(({ denied }) => denied),
    ],
    [buckets],
  );
  const latencies = useMemo(
    () => [buckets.map(({ p50Ms }) => p50Ms ?? null), buckets.map(({ p95Ms }) => p95Ms ?? null)],
    [buckets],
  );
  const bounds = useMemo(() => [Date.parse(since) / 1_000, Date.parse(until) / 1_000] as const, [since, until]);
  const words = ranges[range].words;
  const shared = { starts, bounds, showsDays: range === 'week' };
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <TimePlot
        {...shared}
        title="Calls"
        description={`Calls in ${words}: ${totals.success} succeeded, ${totals.error} failed, ${totals.denied} denied.`}
        series={outcomes}
        values={counts}
        isStacked
        format={(value) => value.toLocaleString('en')}
      />
      <TimePlot
        {...shared}
        title="Time they took"
        description={describeTimes(words, totals)}
        series={times}
        values={latencies}
        format={formatDuration}
      />
    </div>
  );
}

function describeTimes(words: string, { p50Ms, p95Ms }: CallStats['totals']): string {
  if (p50Ms === undefined || p95Ms === undefined) return `No call ended in ${words}.`;
  return `Time that calls took in ${words}: half under ${formatDuration(p50Ms)}, 95 percent under ${formatDuration(p95Ms)}.`;
}
