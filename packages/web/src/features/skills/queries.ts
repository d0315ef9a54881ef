import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The queries of this feature. */
export const skillQueries = {
  skills: () =>
    queryOptions({
      queryKey: ['content', 'skills'],
      queryFn: async ({ signal }) => (await api.listSkills({ signal })).skills,
    }),
};
