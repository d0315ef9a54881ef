import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

/** The queries of this feature. */
export const fleetQueries = {
  fleet: () => query(['fleet'], (signal) => api.getFleet({ signal })),
};
