import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../api/api.ts';
import { mergePages } from './merge-pages.ts';

/** The servers of the registry whose name has the words in it, page by page; all of them without words. */
export function useRegistrySearch(words: string) {
  const pages = useInfiniteQuery({
    queryKey: ['registry', words],
    queryFn: ({ pageParam, signal }) =>
      api.searchRegistry({
        query: { ...(words !== '' && { search: words }), ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What was found stays in sight while somebody types on.
    placeholderData: keepPreviousData,
    // The gateway waits long for a registry that is silent; after that, a person decides.
    retry: false,
  });
  const servers = useMemo(() => mergePages(pages.data?.pages ?? []), [pages.data]);
  return { ...pages, servers };
}
