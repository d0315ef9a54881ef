import type { Operations } from './client.ts';
import { apiRoutes } from './routes/api-routes.ts';

export type ApiRoutes = typeof apiRoutes;

/** The operations of the API. The build of the app replaces this module by its value, so that browsers load no schemas. */
export const operations = Object.fromEntries(
  Object.entries(apiRoutes).map(([id, { method, path }]) => [id, [method, path]]),
) as unknown as Operations<ApiRoutes>;
