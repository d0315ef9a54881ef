import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The queries of this feature. */
export const userQueries = {
  users: () =>
    queryOptions({ queryKey: ['users'], queryFn: async ({ signal }) => (await api.listUsers({ signal })).users }),
};
