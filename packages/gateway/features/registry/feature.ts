import type { Feature } from '../../core/feature.ts';

/** Published servers of an MCP registry. */
export const registry: Feature = {
  name: 'registry',
  routes: async () => (await import('./routes.ts')).registryRoutes,
};
