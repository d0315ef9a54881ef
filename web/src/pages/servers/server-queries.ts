import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** The queries of the Servers page. */
export const serverQueries = {
  /** The tools whose definition changed since it was accepted. */
  changedTools: () =>
    queryOptions({
      queryKey: ['tools', 'changed'],
      queryFn: async ({ signal }) => (await api.listTools({ query: { changed: 'true' }, signal })).tools,
    }),
  tools: (server: string) =>
    queryOptions({
      queryKey: ['tools', 'server', server],
      queryFn: async ({ signal }) => (await api.listServerTools({ path: { server }, signal })).tools,
    }),
  /** Polled: no event reports new lines. */
  errorOutput: (server: string) =>
    queryOptions({
      queryKey: ['error-output', server],
      queryFn: async ({ signal }) => (await api.getServerErrorOutput({ path: { server }, signal })).lines,
      refetchInterval: 1_500,
      staleTime: 0,
    }),
};
