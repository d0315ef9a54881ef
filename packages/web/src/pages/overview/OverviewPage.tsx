import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { CallStats } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Card, CardHeader } from '../../components/Card.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration, TimeAgo } from '../../components/times.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { formatDuration, formatNumber } from '../../text/formats.ts';
import { Attention } from './Attention.tsx';
import { CallPlots } from './CallPlots.tsx';
import { type Range, ranges, statsQuery } from './overview-queries.ts';
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

interface BusiestToolsProps {
  readonly stats: CallStats | undefined;
  readonly range: Range;
}

const maxTools = 8;

/** The most called tools with their failures and median duration. */
function BusiestTools({ stats, range }: BusiestToolsProps) {
  const tools = stats?.tools.slice(0, maxTools) ?? [];
  return (
    <Card aria-label="Busiest tools">
      <CardHeader title="Busiest tools" hint={`In ${ranges[range].description}`} />
      {stats && tools.length === 0 && <p className="px-4 py-3 text-ink-soft">No calls in this time range.</p>}
      {tools.length > 0 && (
        <table className="w-full table-fixed text-left">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line *:py-1.5 *:font-medium">
              <th scope="col" className="pl-4">
                Tool
              </th>
              <th scope="col" className="w-14 text-right">
                Calls
              </th>
              <th scope="col" className="w-16 text-right">
                Failed
              </th>
              <th scope="col" className="w-20 pr-4 text-right" title="Median call duration">
                Median
              </th>
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {tools.map(({ tool, calls, error, p50Ms }) => (
              <tr key={tool} className="border-b border-line last:border-0 *:py-1.5">
                <th scope="row" className="truncate pl-4 font-normal">
                  <Link href={toolAddress(tool)} className="font-mono text-xs hover:underline">
                    {safeText(tool, 150)}
                  </Link>
                </th>
                <td className="text-right">{formatNumber(calls)}</td>
                <td className={error > 0 ? 'text-right text-bad' : 'text-right text-ink-faint'}>{error}</td>
                <td className="pr-4 text-right">{p50Ms === undefined ? '–' : formatDuration(p50Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

interface RunningCallsProps {
  readonly running: number | undefined;
  readonly queued: number | undefined;
}

const maxRunning = 6;

/** The calls that are running now. */
function RunningCalls({ running, queued }: RunningCallsProps) {
  const calls = useQuery(queries.calls({ status: 'running', limit: maxRunning }));
  const shown = calls.data?.calls ?? [];
  return (
    <Card aria-label="Running now">
      <CardHeader
        title="Running now"
        actions={
          running !== undefined && (
            <span className="text-xs text-ink-soft tabular-nums">
              {queued !== undefined && queued > 0
                ? `${formatNumber(running)} running, ${formatNumber(queued)} queued`
                : `${formatNumber(running)} running`}
            </span>
          )
        }
      />
      {calls.isError && (
        <div className="p-4">
          <ErrorNotice error={calls.error} onRetry={() => void calls.refetch()} />
        </div>
      )}
      {calls.data && shown.length === 0 && <p className="px-4 py-3 text-ink-soft">No calls are running.</p>}
      {shown.length > 0 && (
        <ul className="divide-y divide-line">
          {shown.map(({ id, tool, caller, startedAt, createdAt }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2">
              <Link href={`/calls/${id}`} className="min-w-0 flex-1 truncate font-mono text-xs hover:underline">
                {safeText(tool, 150)}
              </Link>
              <span className="max-w-32 truncate text-xs text-ink-soft">{safeText(caller.name ?? caller.id, 80)}</span>
              <span className="text-xs">
                <Duration from={startedAt ?? createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {calls.data?.next !== undefined && (
        <p className="border-t border-line px-4 py-2 text-xs">
          <Link href="/calls" className="underline underline-offset-2">
            Show all calls
          </Link>
        </p>
      )}
    </Card>
  );
}
