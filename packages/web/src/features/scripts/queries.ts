import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The queries of this feature. */
export const scriptQueries = {
  scripts: () =>
    queryOptions({
      queryKey: ['scripts'],
      queryFn: async ({ signal }) => (await api.listScripts({ signal })).scripts,
    }),
};
