import type { Feature } from '../../core/feature.ts';
import { createAccountPorts } from './account-owner.ts';

/** Each person's own accounts at servers. */
export const accounts: Feature = {
  name: 'accounts',
  start: ({ config, storage, returnUrl }) => ({
    core: {
      accounts: createAccountPorts(storage, { returnUrl, waitMs: () => config().toolbox.approval.expiresMs }),
    },
  }),
  routes: async () => (await import('./routes.ts')).accountRoutes,
};
