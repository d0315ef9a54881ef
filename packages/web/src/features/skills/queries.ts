import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

/** The queries of this feature. */
export const skillQueries = {
  skills: () => query(['content', 'skills'], async (signal) => (await api.listSkills({ signal })).skills),
};
