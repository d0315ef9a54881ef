import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';

/** The queries of the Tools page. */
export const toolQueries = {
  formats: (tool: string, definitionHash: string) =>
    queryOptions({
      queryKey: ['tools', 'formats', tool, definitionHash],
      queryFn: ({ signal }) => api.getToolFormats({ path: { tool }, signal }),
    }),
  resources: (server: string) =>
    queryOptions({
      queryKey: ['content', 'resources', server],
      queryFn: ({ signal }) => api.listResources({ path: { server }, signal }),
    }),
  prompts: (server: string) =>
    queryOptions({
      queryKey: ['content', 'prompts', server],
      queryFn: async ({ signal }) => (await api.listPrompts({ path: { server }, signal })).prompts,
    }),
};

/** The names of the servers that offer content of these kinds; undefined while loading. */
export function useServersOffering(kinds: readonly (keyof Server['offers'])[]): readonly string[] | undefined {
  const servers = useQuery(queries.servers()).data;
  return servers?.filter(({ offers }) => kinds.some((kind) => (offers[kind]?.count ?? 0) > 0)).map(({ name }) => name);
}
