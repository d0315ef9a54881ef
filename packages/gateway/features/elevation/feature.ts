import type { Feature } from '../../core/feature.ts';
import { createElevations } from './elevations.ts';

/** Roles that people ask for and others grant for a limited time. */
export const elevation: Feature = {
  name: 'elevation',
  servesOthers: true,
  open({ storage, log, security }) {
    const elevations = createElevations({ storage, log, recheckAccess: security.recheckAccess });
    return { ports: elevations, close: elevations.close };
  },
  routes: async () => (await import('./routes.ts')).elevationRoutes,
};
