import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** What only this page reads. The keys begin with what events make out of date. */
export const serverQueries = {
  /** Tools whose definition is not the accepted one. */
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
  /** No event tells of a new line: it is asked for again and again while somebody looks. */
  errorOutput: (server: string) =>
    queryOptions({
      queryKey: ['error-output', server],
      queryFn: async ({ signal }) => (await api.getServerErrorOutput({ path: { server }, signal })).lines,
      refetchInterval: 1_500,
      staleTime: 0,
    }),
};
