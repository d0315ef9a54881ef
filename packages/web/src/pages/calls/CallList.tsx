import { ArrowUp, CornerDownRight, History } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { clientOfCaller, nameOfCaller } from '../../components/approval/labels.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration, TimeAgo } from '../../components/times.tsx';
import { WindowList } from '../../components/WindowList.tsx';
import { plural } from '../../text/plural.ts';
import { CallStatus } from './CallStatus.tsx';
import type { ListedCall } from './merge-calls.ts';
import type { useCallList } from './use-call-list.ts';

export interface CallListProps {
  readonly list: ReturnType<typeof useCallList>;
  /** The search part of the address, kept in the links to calls. */
  readonly suffix: string;
  readonly filtered: boolean;
}

/** The virtualized list of calls. Scrolling down loads more. */
export function CallList({ list, suffix, filtered }: CallListProps) {
  const { calls, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const { shown, newCount, showNew } = useHeldBackCalls(calls);
  const canLoadMore = hasNextPage && !list.isFetching && !list.isFetchNextPageError;

  if (list.isPending || (list.isPlaceholderData && shown.length === 0)) return <Spinner label="Loading calls …" />;
  if (list.isError && calls.length === 0) {
    return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  }
  if (shown.length === 0) return <NoCalls filtered={filtered} />;
  return (
    <>
      {newCount > 0 && (
        <Button
          look="primary"
          size="small"
          className="sticky top-14 z-10 self-center shadow-lg md:top-3"
          onClick={showNew}
          icon={ArrowUp}
        >
          {plural(newCount, 'new call')}
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
        <WindowList
          label="Calls"
          items={shown}
          keyOf={({ id }) => id}
          estimate={41}
          hasMore={hasNextPage}
          onNearEnd={canLoadMore ? fetchNextPage : undefined}
        >
          {(call) => <CallRow call={call} href={`/calls/${encodeURIComponent(call.id)}${suffix}`} />}
        </WindowList>
      </Card>
      <footer className="flex justify-center py-1 text-ink-faint">
        {isFetchingNextPage && <Spinner label="Loading older calls …" />}
        {hasNextPage && !isFetchingNextPage && <Button onClick={() => void fetchNextPage()}>Load older calls</Button>}
        {!hasNextPage && !list.isPlaceholderData && <p className="text-xs">{plural(shown.length, 'call')}</p>}
      </footer>
      {list.isFetchNextPageError && <ErrorNotice error={list.error} onRetry={() => void fetchNextPage()} />}
    </>
  );
}

function NoCalls({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <EmptyState
      icon={History}
      title="No matching calls"
      actions={<ButtonLink href="/calls">Show all calls</ButtonLink>}
    >
      Change or clear a filter to see more calls.
    </EmptyState>
  ) : (
    <EmptyState
      icon={History}
      title="No calls yet"
      actions={
        <>
          <ButtonLink href="/tools">Run a tool</ButtonLink>
          <ButtonLink href="/chat">Chat with an assistant</ButtonLink>
          <ButtonLink href="/settings/connect">Connect a client</ButtonLink>
        </>
      }
    >
      Every call appears here as it happens, whoever makes it.
    </EmptyState>
  );
}

/** Further down than this, the person is reading older calls. */
const readingOlderPx = 120;

/** Holds new calls back while the person reads older ones, so that the list does not move. */
function useHeldBackCalls(calls: readonly ListedCall[]) {
  const [isReadingOlder, setReadingOlder] = useState(false);
  const [newestShown, setNewestShown] = useState<string>();
  const newest = calls[0]?.createdAt;
  useEffect(() => {
    const onScroll = () => setReadingOlder(scrollY > readingOlderPx);
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  if (!isReadingOlder && newestShown !== undefined) setNewestShown(undefined);
  if (isReadingOlder && newestShown === undefined && newest !== undefined) setNewestShown(newest);

  const newCount = newestShown === undefined ? 0 : calls.filter(({ createdAt }) => createdAt > newestShown).length;
  return {
    shown: newCount === 0 ? calls : calls.slice(newCount),
    newCount,
    showNew() {
      setNewestShown(undefined);
      setReadingOlder(false);
      // Scroll after the new calls are rendered: until then the list keeps its position.
      requestAnimationFrame(() => scrollTo({ top: 0 }));
    },
  };
}

/** The grid of the list: two lines on narrow screens, one on wide ones. */
const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 ' +
  'md:grid-cols-[minmax(0,2.2fr)_minmax(0,1.2fr)_minmax(0,1.4fr)_9.5rem_6rem_8rem]';

interface CallRowProps {
  readonly call: ListedCall;
  readonly href: string;
}

/** One call in the list. The whole row links to its details. */
const CallRow = memo(function CallRow({ call, href }: CallRowProps) {
  return (
    <div className={classNames(columns, 'relative py-2 hover:bg-sunken')}>
      <span className="flex min-w-0 items-center gap-1.5">
        {call.parent?.kind === 'call' && (
          <CornerDownRight aria-label="Child call" className="size-3.5 shrink-0 text-ink-faint" />
        )}
        <Link
          href={href}
          className="truncate font-mono font-semibold after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {safeText(call.originalName, 120)}
        </Link>
      </span>
      <span className="hidden truncate text-ink-soft md:block">
        {call.server === undefined ? 'local' : safeText(call.server, 100)}
      </span>
      <span className="order-3 truncate text-ink-soft max-md:text-xs md:order-none">
        <span className="md:hidden">{call.server === undefined ? 'local' : safeText(call.server, 60)} · </span>
        {nameOfCaller(call.caller)}
        {call.caller.client !== undefined && <span className="text-ink-faint"> · {clientOfCaller(call.caller)}</span>}
      </span>
      <span className="justify-self-end md:justify-self-start">
        <CallStatus call={call} />
      </span>
      <span className="order-5 hidden text-right text-ink-soft md:order-none md:block">
        {call.startedAt === undefined ? (
          <span title="The call was not sent">–</span>
        ) : (
          <Duration from={call.startedAt} to={call.completedAt} />
        )}
      </span>
      <span className="order-4 justify-self-end text-xs text-ink-faint md:order-none">
        <TimeAgo at={call.createdAt} />
      </span>
    </div>
  );
});
