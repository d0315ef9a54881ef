import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

/** The queries of this feature. */
export const userQueries = {
  users: () => query(['users'], async (signal) => (await api.listUsers({ signal })).users),
};
