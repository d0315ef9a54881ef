import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** What only this page reads. */
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
