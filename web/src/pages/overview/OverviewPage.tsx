import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { Attention } from './Attention.tsx';
import { BusiestTools } from './BusiestTools.tsx';
import { CallPlots } from './CallPlots.tsx';
import { type Range, statsQuery } from './overview-queries.ts';
import { RunningCalls } from './RunningCalls.tsx';
import { ServersCard } from './ServersCard.tsx';
import { Totals } from './Totals.tsx';
import { WelcomePanel } from './WelcomePanel.tsx';

/** The state of the gateway, its recent calls and everything that needs attention. */
export default function OverviewPage() {
  const [range, setRange] = useState<Range>('day');
  const health = useQuery(queries.health());
  const stats = useQuery(statsQuery(range));
  return (
    <Page
      title="Overview"
      description={
        health.data && (
          <>
            Toolwharf {health.data.version}, started <TimeAgo at={health.data.startedAt} />
          </>
        )
      }
    >
      {health.isError && <ErrorNotice error={health.error} onRetry={() => void health.refetch()} />}
      <WelcomePanel />
      <Attention />
      <Totals health={health.data} stats={stats.data} range={range} />
      <CallPlots stats={stats} range={range} onRangeChange={setRange} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <ServersCard />
        <div className="flex min-w-0 flex-col gap-4">
          <RunningCalls running={health.data?.calls.running} queued={health.data?.calls.queued} />
          <BusiestTools stats={stats.data} range={range} />
        </div>
      </div>
    </Page>
  );
}
