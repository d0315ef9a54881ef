import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type RegistryPage, type RegistryServer } from '../../api/client.ts';

/** The servers of the registry whose name contains the text, page by page. */
export function useRegistrySearch(text: string) {
  const pages = useInfiniteQuery({
    queryKey: ['registry', text],
    queryFn: ({ pageParam, signal }) =>
      api.searchRegistry({
        query: { search: text || undefined, cursor: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The previous results stay visible while the person types.
    placeholderData: keepPreviousData,
    // The gateway already waits for a slow registry.
    retry: false,
  });
  const servers = useMemo(() => mergePages(pages.data?.pages ?? []), [pages.data]);
  return { ...pages, servers };
}

/** The servers of all pages without duplicates: the registry may change between two pages. */
export function mergePages(pages: readonly RegistryPage[]): readonly RegistryServer[] {
  const found = new Map<string, RegistryServer>();
  for (const server of pages.flatMap(({ servers }) => servers)) {
    if (!found.has(server.name)) found.set(server.name, server);
  }
  return [...found.values()];
}
