import type { Feature } from '../../core/feature.ts';

/** Several replicas on one database. */
export const fleet: Feature = {
  name: 'fleet',
  replicas: async (ports) => (await import('./open-replicas.ts')).openReplicas(ports),
  routes: async () => (await import('./routes.ts')).fleetRoutes,
};
