import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { CallStats } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { outcomes } from '../../text/calls-texts.ts';
import { ensureValidLocale } from '../../text/ensure-valid-locale.ts';
import { formatDuration } from '../../text/formats.ts';
import { type Range, ranges } from './overview-queries.ts';

const StatsPlots = lazy(() => {
  ensureValidLocale();
  // The table shows the same numbers, so the page stays useful without its plots.
  return import('./StatsPlots.tsx').catch(() => ({ default: MissingPlots }));
});

export interface CallPlotsProps {
  readonly stats: UseQueryResult<CallStats>;
  readonly range: Range;
  readonly onRangeChange: (range: Range) => void;
}

/** The number of calls and their duration over time, as plots and as a table. */
export function CallPlots({ stats: { data, error, refetch }, range, onRangeChange }: CallPlotsProps) {
  return (
    <Card aria-label="Calls over time">
      <CardHeader
        title="Calls over time"
        actions={
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
          <div role="group" aria-label="Time range" className="flex gap-1">
            {(Object.keys(ranges) as Range[]).map((option) => (
              <Button
                key={option}
                size="small"
                look={option === range ? 'secondary' : 'quiet'}
                aria-pressed={option === range}
                onClick={() => onRangeChange(option)}
              >
                {ranges[option].label}
              </Button>
            ))}
          </div>
        }
      />
      <div className="flex flex-col gap-3 p-4">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Spinner label="Loading call statistics …" />}
        {data?.totals.calls === 0 && (
          <EmptyState
            title={`No calls in ${ranges[range].description}`}
            actions={
              <>
                <ButtonLink href="/tools">Run a tool</ButtonLink>
                <ButtonLink href="/settings/connect">Connect a client</ButtonLink>
              </>
            }
          >
            Calls of assistants, MCP clients and programs are counted here.
          </EmptyState>
        )}
        {data && data.totals.calls > 0 && (
          <>
            <Suspense fallback={<div className="h-52" />}>
              <StatsPlots stats={data} range={range} />
            </Suspense>
            <StatsTable stats={data} />
          </>
        )}
      </div>
    </Card>
  );
}

function StatsTable({ stats: { buckets, bucketMs } }: { readonly stats: CallStats }) {
  const nonEmpty = buckets.filter((bucket) => outcomes.some(({ outcome }) => bucket[outcome] > 0));
  return (
    <details>
      <summary className="cursor-pointer text-xs text-ink-soft">Show as table</summary>
      {nonEmpty.length === 0 ? (
        <p className="mt-2 text-ink-soft">No call has ended in this time range.</p>
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
          tabIndex={0}
          aria-label="Table of calls over time"
          className="mt-2 max-h-72 overflow-auto"
        >
          <table className="w-full text-left tabular-nums">
            <caption className="sr-only">
              {`Calls and their duration per ${formatDuration(bucketMs)}. Intervals without calls are left out.`}
            </caption>
            <thead className="text-xs text-ink-soft">
              <tr className="*:px-2 *:py-1 *:font-medium">
                <th scope="col">From</th>
                {outcomes.map(({ outcome, word }) => (
                  <th key={outcome} scope="col" className="capitalize">
                    {word}
                  </th>
                ))}
                <th scope="col">Median</th>
                <th scope="col">p95</th>
              </tr>
            </thead>
            <tbody>
              {nonEmpty.map((bucket) => (
                <tr key={bucket.start} className="border-t border-line *:px-2 *:py-1">
                  <th scope="row" className="font-normal whitespace-nowrap">
                    {new Date(bucket.start).toLocaleString()}
                  </th>
                  {outcomes.map(({ outcome }) => (
                    <td key={outcome}>{bucket[outcome]}</td>
                  ))}
                  <td>{bucket.p50Ms === undefined ? '–' : formatDuration(bucket.p50Ms)}</td>
                  <td>{bucket.p95Ms === undefined ? '–' : formatDuration(bucket.p95Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

function MissingPlots() {
  return (
    <Notice tone="warn">The plots could not be loaded. Reload the page, or read the same numbers in the table.</Notice>
  );
}
