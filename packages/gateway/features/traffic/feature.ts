import type { Feature } from '../../core/feature.ts';

/** The messages between the gateway and one server. */
export const traffic: Feature = {
  name: 'traffic',
  routes: async () => (await import('./routes.ts')).trafficRoutes,
};
