import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { CallStats } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { ensureLanguage } from './ensure-language.ts';
import { type Range, ranges } from './overview-queries.ts';
import { StatsTable } from './StatsTable.tsx';

const StatsPlots = lazy(() => {
  ensureLanguage();
  // The numbers are in the table too: a page without its plots is better than none.
  return import('./StatsPlots.tsx').catch(() => ({ default: NoPlots }));
});

export interface CallPlotsProps {
  readonly stats: UseQueryResult<CallStats>;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

/** Calls and how long they took over time: drawn, and as a table. */
export function CallPlots({ stats: { data, error, refetch }, range, onRange }: CallPlotsProps) {
  return (
    <Card aria-label="Calls over time">
      <CardHeader
        title="Calls over time"
        actions={
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
          <div role="group" aria-label="Span of time" className="flex gap-1">
            {(Object.keys(ranges) as Range[]).map((one) => (
              <Button
                key={one}
                size="small"
                look={one === range ? 'secondary' : 'quiet'}
                aria-pressed={one === range}
                onClick={() => onRange(one)}
              >
                {ranges[one].label}
              </Button>
            ))}
          </div>
        }
      />
      <div className="flex flex-col gap-3 p-4">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Spinner label="Counting the calls …" />}
        {data?.truncated && (
          <Notice>There were more calls than are counted here: the numbers are those of the latest ones.</Notice>
        )}
        {data?.totals.calls === 0 && (
          <EmptyState title={`No calls in ${ranges[range].words}`}>
            Calls of assistants, clients and programs are counted here.
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

function NoPlots() {
  return (
    <Notice tone="warn">
      The plots could not be loaded. Reload the page to try again; the table has the same numbers.
    </Notice>
  );
}
