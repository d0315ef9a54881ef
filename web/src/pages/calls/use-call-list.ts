import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { useEvent } from '../../api/events-context.tsx';
import { type CallFilter, fitsQuery, toQuery } from './call-filter.ts';
import { type ListedCall, later, mergeCalls, toListed } from './merge-calls.ts';

const pageSize = 100;
// Calls may come by the hundred; the list need not be made anew for each.
const gatherMs = 200;
const maxLive = 2_000;

/** The calls that fit a filter, page by page, each kept up to date by what is heard of it. */
export function useCallList(filter: CallFilter) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a filter is what it says
  const query = useMemo(() => toQuery(filter, Date.now()), [JSON.stringify(filter)]);
  const pages = useInfiniteQuery({
    // Not below `calls`: each event would ask for every loaded page again.
    queryKey: ['call-list', query],
    queryFn: ({ pageParam, signal }) =>
      api.listCalls({ query: { ...query, limit: pageSize, ...(pageParam !== '' && { before: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // Those of the last filter that fit the next one stay in sight until the answer is there.
    placeholderData: keepPreviousData,
  });
  const live = useLiveCalls(() => void pages.refetch());
  const calls = useMemo(() => {
    const loaded = pages.data?.pages.flatMap((page) => page.calls) ?? [];
    return mergeCalls(loaded, live, { fits: (call) => fitsQuery(call, query), hasMore: pages.hasNextPage });
  }, [pages.data, pages.hasNextPage, live, query]);
  return { ...pages, calls };
}

/** What was heard of calls since the page was opened; beyond what is sensible to keep, the list is asked for again instead. */
function useLiveCalls(onTooMany: () => void): ReadonlyMap<string, ListedCall> {
  const [live, setLive] = useState<ReadonlyMap<string, ListedCall>>(new Map());
  const heard = useRef(new Map<string, ListedCall>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  useEvent('call.changed', (event) => {
    const call = toListed(event);
    const before = heard.current.get(call.id);
    heard.current.set(call.id, before ? later(before, call) : call);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      if (heard.current.size > maxLive) {
        heard.current = new Map();
        onTooMany();
      }
      setLive(new Map(heard.current));
    }, gatherMs);
  });
  return live;
}
