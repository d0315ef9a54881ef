import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { type CallFilter, type CallQuery, matchesQuery, toQuery } from './call-filter.ts';
import { type ListedCall, mergeCalls, pickNewer, toListedCall } from './merge-calls.ts';

const pageSize = 100;
// Hundreds of calls may change at once: the list is updated once for all of them.
const batchMs = 200;
const maxLive = 2_000;

/** The calls that match a filter, page by page, updated by events. */
export function useCallList(filter: CallFilter) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: filters are compared by value
  const query = useMemo(() => toQuery(filter, Date.now()), [JSON.stringify(filter)]);
  const pages = useInfiniteQuery({
    // Not below `calls`: each event would refetch every loaded page.
    queryKey: ['call-list', query],
    queryFn: ({ pageParam, signal }) => listPage(query, pageParam || undefined, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // Matching calls of the previous filter stay visible until the response arrives.
    placeholderData: keepPreviousData,
    // Events that arrived while the page was closed are not in the list.
    refetchOnMount: 'always',
  });
  const live = useLiveCalls(() => void pages.refetch());
  const calls = useMemo(() => {
    const loaded = pages.data?.pages.flatMap((page) => page.calls) ?? [];
    return mergeCalls(loaded, live, { matches: (call) => matchesQuery(call, query), hasMore: pages.hasNextPage });
  }, [pages.data, pages.hasNextPage, live, query]);
  return { ...pages, calls };
}

/** One page of the calls. */
export function listPage(query: CallQuery, before?: string, signal?: AbortSignal) {
  return api.listCalls({ query: { ...query, limit: pageSize, before }, signal });
}

/** The calls that changed since the page was opened. Above the limit they are dropped and the list is refetched. */
function useLiveCalls(onTooMany: () => void): ReadonlyMap<string, ListedCall> {
  const [live, setLive] = useState<ReadonlyMap<string, ListedCall>>(new Map());
  const changed = useRef(new Map<string, ListedCall>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  useEvent('call.changed', (event) => {
    const call = toListedCall(event);
    const before = changed.current.get(call.id);
    changed.current.set(call.id, before ? pickNewer(before, call) : call);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      if (changed.current.size > maxLive) {
        changed.current = new Map();
        onTooMany();
      }
      setLive(new Map(changed.current));
    }, batchMs);
  });
  return live;
}
