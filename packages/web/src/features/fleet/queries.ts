import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The queries of this feature. */
export const fleetQueries = {
  fleet: () => queryOptions({ queryKey: ['fleet'], queryFn: ({ signal }) => api.getFleet({ signal }) }),
};
