import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

/** The queries of this feature. */
export const scriptQueries = {
  scripts: () => query(['scripts'], async (signal) => (await api.listScripts({ signal })).scripts),
};
