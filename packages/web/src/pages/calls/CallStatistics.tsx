import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api, type CallStats } from '../../api/client.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { describeOutcome, outcomes } from '../../text/calls-texts.ts';
import { formatDuration, formatNumber, formatP95 } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { type CallFilter, inCountedPeriod, outcomeFilters, toStatsQuery, writeFilter } from './call-filter.ts';

/** The calls that match the filter: by tool, server and caller, and the distribution of their durations. */
export default function CallStatistics({ filter }: { readonly filter: CallFilter }) {
  const stats = useQuery({
    queryKey: ['call-stats', 'by', filter],
    queryFn: ({ signal }) => api.getCallStats({ query: { ...toStatsQuery(filter, Date.now()), buckets: 1 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  const { data } = stats;
  if (!data) return <QueryState query={stats} what="statistics" />;
  if (data.totals.calls === 0) {
    return (
      <EmptyState title="No calls in this time range" actions={<ButtonLink href="/tools">Run a tool</ButtonLink>}>
        Choose another time range or filter, or run a tool.
      </EmptyState>
    );
  }
  const listFor = (part: CallFilter) => ({ ...inCountedPeriod(filter), end: undefined, status: undefined, ...part });
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Durations stats={data} />
          <Groups
            title="Calls by server"
            groups={data.servers.map((group) => ({
              ...group,
              key: group.server ?? '',
              label: group.server ?? 'Local tools',
              filter: group.server === undefined ? undefined : listFor({ server: group.server }),
            }))}
          />
          <Groups
            title="Calls by caller"
            groups={data.callers.map((group) => ({
              ...group,
              key: group.caller,
              label: group.name ?? group.caller,
              filter: listFor({ caller: group.caller }),
            }))}
          />
        </div>
        <Groups
          title="Calls by tool"
          groups={data.tools.map((group) => ({
            ...group,
            key: group.tool,
            label: group.originalName,
            detail: group.server,
            filter: listFor({ search: undefined, server: group.server, tool: group.tool }),
          }))}
        />
      </div>
    </div>
  );
}

type Counts = CallStats['totals'];

interface Group extends Counts {
  readonly key: string;
  readonly label: string;
  /** Tells groups with the same label apart. */
  readonly detail?: string;
  /** The filter of its calls in the list; undefined if there is none. */
  readonly filter: CallFilter | undefined;
}

function Groups({ title, groups }: { readonly title: string; readonly groups: readonly Group[] }) {
  const max = Math.max(1, ...groups.map(({ calls }) => calls));
  return (
    <Card aria-label={title}>
      <CardHeader title={title} />
      <ul className="flex flex-col gap-2.5 px-4 py-3">
        {groups.map((group) => (
          <li key={group.key} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="max-w-full truncate font-mono text-xs">
                {group.filter === undefined ? (
                  safeText(group.label, 200)
                ) : (
                  <Link
                    href={listAddress(group.filter)}
                    className="text-accent-strong underline-offset-2 hover:underline"
                  >
                    {safeText(group.label, 200)}
                  </Link>
                )}
                {group.detail !== undefined && <span className="text-ink-faint"> {safeText(group.detail, 100)}</span>}
              </span>
              <span className="flex flex-wrap gap-x-2 text-xs text-ink-soft tabular-nums">
                <span>{plural(group.calls, 'call')}</span>
                {outcomes.slice(1).map((counted) => (
                  <OutcomeCount key={counted.outcome} group={group} counted={counted} />
                ))}
                {group.p95Ms !== undefined && <span>{formatP95(group.calls, group.p95Ms)}</span>}
              </span>
            </p>
            <div aria-hidden className="flex h-2 overflow-hidden rounded-sm bg-sunken">
              {outcomes.map(({ outcome, colour }) => (
                <span
                  key={outcome}
                  style={{ width: `${(group[outcome] / max) * 100}%`, background: `var(${colour})` }}
                />
              ))}
            </div>
          </li>
        ))}
      </ul>
      <Legend groups={groups} />
    </Card>
  );
}

/** The outcomes that occur. */
function Legend({ groups }: { readonly groups: readonly Group[] }): ReactNode {
  const shown = outcomes.filter(({ outcome }) => groups.some((group) => group[outcome] > 0));
  return (
    <ul aria-hidden className="flex flex-wrap gap-x-3 border-t border-line px-4 py-2 text-xs text-ink-soft">
      {shown.map(({ outcome, word, colour }) => (
        <li key={outcome} className="flex items-center gap-1">
          <span className="size-2.5 rounded-xs" style={{ background: `var(${colour})` }} />
          {word}
        </li>
      ))}
    </ul>
  );
}

interface OutcomeCountProps {
  readonly group: Group;
  readonly counted: (typeof outcomes)[number];
}

/** "2 failed", which links to these calls; nothing if there are none. */
function OutcomeCount({ group, counted }: OutcomeCountProps): ReactNode {
  if (group[counted.outcome] === 0) return null;
  const label = describeOutcome(counted, group);
  if (!group.filter) return <span>{label}</span>;
  return (
    <Link
      href={listAddress({ ...group.filter, ...outcomeFilters[counted.outcome] })}
      className="underline-offset-2 hover:text-ink hover:underline"
    >
      {label}
    </Link>
  );
}

function listAddress(filter: CallFilter): string {
  return `/calls?${writeFilter(filter)}`;
}

function Durations({ stats: { durations, totals } }: { readonly stats: CallStats }) {
  const max = Math.max(1, ...durations.map(({ calls }) => calls));
  const { p50Ms, p95Ms } = totals;
  const hint =
    p50Ms === undefined || p95Ms === undefined
      ? undefined
      : `Median ${formatDuration(p50Ms)}, ${formatP95(totals.calls, p95Ms)}`;
  return (
    <Card aria-label="Call durations">
      <CardHeader title="Call durations" hint={hint} />
      <table className="m-4 w-[calc(100%-2rem)] text-xs">
        <caption className="sr-only">Call durations</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Duration</th>
            <th scope="col">Share</th>
            <th scope="col">Calls</th>
          </tr>
        </thead>
        <tbody>
          {durations.map(({ upToMs, calls }, index) => (
            <tr key={upToMs ?? 'more'}>
              <th scope="row" className="w-24 py-0.5 pr-3 text-left font-normal whitespace-nowrap text-ink-soft">
                {upToMs === undefined
                  ? `> ${formatDuration(durations[index - 1]?.upToMs ?? 0)}`
                  : `≤ ${formatDuration(upToMs)}`}
              </th>
              <td className="py-0.5">
                <div className="h-3 rounded-sm bg-accent" style={{ width: `${(calls / max) * 100}%` }} />
              </td>
              <td className="w-14 py-0.5 pl-3 text-right tabular-nums">{formatNumber(calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
