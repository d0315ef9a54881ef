import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { nameOfCaller } from '../../components/approval/labels.ts';
import { Button } from '../../components/Button.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Menu } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';
import { fromLocalTime, toLocalTime } from '../../components/schema-form/form-values.ts';
import { describeOutcome, endTexts, outcomes } from '../../text/calls-texts.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import {
  type CallFilter,
  ends,
  inCountedPeriod,
  outcomeFilters,
  type Range,
  ranges,
  statuses,
  toStatsQuery,
  writeFilter,
} from './call-filter.ts';
import { useExport } from './export-calls.ts';
import type { ListedCall } from './merge-calls.ts';

const rangeTexts = { '15m': 'Last 15 minutes', '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days' };

const statusOptionTexts = { pending: 'Pending', running: 'Running', success: 'Success', error: 'Without a result' };

export interface CallFiltersProps {
  readonly filter: CallFilter;
  /** The listed calls; their callers can be selected. */
  readonly calls: readonly ListedCall[];
  readonly onChange: (filter: CallFilter) => void;
}

const debounceMs = 300;

/** The filter of the list, the number of calls by outcome, and the export. The address of the page contains the filter. */
export function CallFilters({ filter, calls, onChange }: CallFiltersProps) {
  const servers = useQuery(queries.servers()).data ?? [];
  const change = (part: Partial<CallFilter>) => onChange({ ...filter, ...part });
  const isBetween = filter.since !== undefined || filter.until !== undefined;
  const names = new Set([...servers.map(({ name }) => name), ...(filter.server ? [filter.server] : [])]);
  const callers = new Map(calls.map(({ caller }) => [caller.id, nameOfCaller(caller)]));
  if (filter.caller !== undefined && !callers.has(filter.caller)) callers.set(filter.caller, filter.caller);

  function changeTime(choice: string): void {
    const none = { range: undefined, since: undefined, until: undefined };
    if (choice === '') change(none);
    else if (choice !== 'between') change({ ...none, range: choice as Range });
    else change({ ...none, since: new Date(Date.now() - ranges['1h']).toISOString() });
  }

  return (
    <>
      <search className="grid grid-cols-2 items-end gap-x-3 gap-y-2 text-xs sm:grid-cols-3 lg:grid-cols-[minmax(0,1.5fr)_repeat(4,minmax(0,1fr))_auto_auto]">
        <SearchField value={filter.search} onChange={(search) => change({ search })} />
        <SelectField
          label="Server"
          options={[['', 'All servers'], ...[...names].map((name) => [name, safeText(name, 100)] as const)]}
          value={filter.server ?? ''}
          onChange={(server) => change({ server: server || undefined })}
        />
        <SelectField
          label="Status"
          options={statusOptions}
          value={filter.end?.join() ?? filter.status ?? ''}
          onChange={(choice) => change(toStatus(choice))}
        />
        <SelectField
          label="Caller"
          options={[['', 'All callers'], ...[...callers].map(([id, name]) => [id, safeText(name, 100)] as const)]}
          value={filter.caller ?? ''}
          onChange={(caller) => change({ caller: caller || undefined })}
        />
        <SelectField
          label="Time"
          options={[
            ['', 'Any time'],
            ...rangeNames.map((range) => [range, rangeTexts[range]] as const),
            ['between', 'Between …'],
          ]}
          value={isBetween ? 'between' : (filter.range ?? '')}
          onChange={changeTime}
        />
        <Button disabled={Object.keys(filter).length === 0} onClick={() => onChange({})} icon={X}>
          Clear
        </Button>
        <ExportMenu filter={filter} />
        {isBetween && (
          <>
            <TimeField label="From" value={filter.since} onChange={(since) => change({ since })} />
            <TimeField label="Until" value={filter.until} onChange={(until) => change({ until })} />
          </>
        )}
      </search>
      {filter.tool !== undefined && (
        <p className="-mt-1 flex min-w-0 items-center gap-2 text-xs">
          <span className="text-ink-soft">Only the tool</span>
          <code className="min-w-0 truncate">{safeText(filter.tool, 200)}</code>
          <Button size="small" aria-label="Show all tools" onClick={() => change({ tool: undefined })} icon={X} />
        </p>
      )}
      <Counts filter={filter} />
    </>
  );
}

const rangeNames = Object.keys(ranges) as Range[];

const failedEnds = outcomeFilters.error.end.join();

const statusOptions: readonly (readonly [string, string])[] = [
  ['', 'Any status'],
  ...statuses.map((status) => [status, statusOptionTexts[status]] as const),
  [failedEnds, 'All failures'],
  ...ends.map((end) => [end, endTexts[end].label] as const),
];

type StatusFilter = Pick<CallFilter, 'status' | 'end'>;

function toStatus(choice: string): StatusFilter {
  const end = ends.filter((known) => choice.split(',').includes(known));
  if (end.length > 0) return { status: 'error', end };
  return { status: choice === '' ? undefined : (choice as CallFilter['status']), end: undefined };
}

/** The number of calls by outcome in the selected time; without one, in the last 24 hours. Each number links to exactly these calls. */
function Counts({ filter }: Pick<CallFiltersProps, 'filter'>) {
  const { range = '24h', since, until, server, tool, caller, search } = filter;
  const isBetween = since !== undefined || until !== undefined;
  const { data } = useQuery({
    queryKey: ['call-stats', 'counts', range, since, until, server, tool, caller, search],
    queryFn: ({ signal }) => api.getCallStats({ query: { ...toStatsQuery(filter, Date.now()), buckets: 1 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  if (!data) return null;
  const period = isBetween ? 'Selected time' : rangeTexts[range];
  const open = outcomes.reduce((rest, { outcome }) => rest - data.totals[outcome], data.totals.calls);
  return (
    <p className="-mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft">
      <span>{`${plural(data.totals.calls, 'call')} in the ${period.toLowerCase()}:`}</span>
      {outcomes.map((counted) => (
        <Link
          key={counted.outcome}
          href={`/calls?${writeFilter({ ...inCountedPeriod(filter), end: undefined, ...outcomeFilters[counted.outcome] })}`}
          className="rounded tabular-nums underline-offset-2 hover:text-ink hover:underline"
        >
          {describeOutcome(counted, data.totals)}
        </Link>
      ))}
      {open > 0 && <span className="tabular-nums">{`${formatNumber(open)} in progress`}</span>}
    </p>
  );
}

function ExportMenu({ filter }: { readonly filter: CallFilter }) {
  const exporting = useExport(filter);
  return (
    <Menu
      trigger={
        <Button busy={exporting.isPending} icon={Download}>
          Export
        </Button>
      }
      items={[
        { label: 'CSV', onSelect: () => exporting.mutate('csv') },
        { label: 'JSON lines', onSelect: () => exporting.mutate('jsonl') },
      ]}
    />
  );
}

interface OptionalTextProps {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Reports its value when the person stops typing. */
function SearchField({ value = '', onChange }: OptionalTextProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <TextField
      className="max-sm:col-span-2"
      label="Search"
      type="search"
      placeholder="Tool, server or caller"
      value={text}
      onChange={(typed) => {
        setText(typed);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(typed.trim() || undefined), debounceMs);
      }}
    />
  );
}

function TimeField({ label, value, onChange }: OptionalTextProps & { readonly label: string }) {
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={value === undefined ? '' : (toLocalTime(value)?.slice(0, 16) ?? '')}
      onChange={(text) => onChange(fromLocalTime(text))}
    />
  );
}
