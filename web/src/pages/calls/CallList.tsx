import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp, History } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { CallRow, columns } from './CallRow.tsx';
import type { useCallList } from './use-call-list.ts';
import { useHeldBack } from './use-held-back.ts';

export interface CallListProps {
  readonly list: ReturnType<typeof useCallList>;
  /** The rest of the address, which the way to a call keeps. */
  readonly suffix: string;
  readonly filtered: boolean;
}

/** The calls, however many: only what is in sight is built, and more is loaded as one goes down. */
export function CallList({ list, suffix, filtered }: CallListProps) {
  const { calls, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const { shown, held, release } = useHeldBack(calls);
  const place = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  // What is above may grow with anything that changes on the page.
  useLayoutEffect(() => {
    if (place.current) setMargin(Math.round(place.current.getBoundingClientRect().top + scrollY));
  });
  const rows = useWindowVirtualizer({
    count: shown.length,
    estimateSize: () => 41,
    overscan: 15,
    scrollMargin: margin,
    getItemKey: (at) => shown[at]?.id ?? at,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const nearsEnd = hasNextPage && !list.isFetching && !list.isFetchNextPageError && last >= shown.length - 20;
  useEffect(() => {
    if (nearsEnd) void fetchNextPage();
  }, [nearsEnd, fetchNextPage]);

  if (list.isPending || (list.isPlaceholderData && shown.length === 0)) return <Spinner label="Reading the calls …" />;
  if (list.isError && calls.length === 0) {
    return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  }
  if (shown.length === 0) return <NoCalls filtered={filtered} />;
  return (
    <>
      {held > 0 && (
        <Button
          look="primary"
          size="small"
          className="sticky top-14 z-10 self-center shadow-lg md:top-3"
          onClick={release}
        >
          <ArrowUp aria-hidden />
          {held} new {held === 1 ? 'call' : 'calls'}
        </Button>
      )}
      <Card>
        <div
          aria-hidden
          className={classNames(columns, 'border-b border-line py-2 text-xs text-ink-faint max-md:hidden')}
        >
          <span>Tool</span>
          <span>Server</span>
          <span>Caller</span>
          <span>Status</span>
          <span className="text-right">Duration</span>
          <span className="justify-self-end">Time</span>
        </div>
        <ul ref={place} aria-label="Calls" className="relative" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const call = shown[index];
            if (!call) return null;
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                aria-posinset={index + 1}
                aria-setsize={hasNextPage ? -1 : shown.length}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start - margin}px)` }}
              >
                <CallRow call={call} href={`/calls/${encodeURIComponent(call.id)}${suffix}`} />
              </li>
            );
          })}
        </ul>
      </Card>
      <footer className="flex justify-center py-1 text-ink-faint">
        {isFetchingNextPage && <Spinner label="Reading older calls …" />}
        {hasNextPage && !isFetchingNextPage && <Button onClick={() => void fetchNextPage()}>Show older calls</Button>}
        {!hasNextPage && !list.isPlaceholderData && (
          <p className="text-xs">That is all: {shown.length.toLocaleString('en')} calls.</p>
        )}
      </footer>
      {list.isFetchNextPageError && <ErrorNotice error={list.error} onRetry={() => void fetchNextPage()} />}
    </>
  );
}

function NoCalls({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <EmptyState icon={<History aria-hidden />} title="No call fits">
      Names must be given in full. Clear a filter to see more.
    </EmptyState>
  ) : (
    <EmptyState icon={<History aria-hidden />} title="Nothing was called yet">
      Every call of every tool is recorded and shows up here while it happens: from the chat, from MCP clients, from the
      Tools page and from programs.
    </EmptyState>
  );
}
