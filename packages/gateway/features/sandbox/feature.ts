import type { Feature } from '../../core/feature.ts';
import { createSandboxPlugin } from './sandbox-plugin.ts';

/** Limits what the programs of servers may touch. */
export const sandbox: Feature = {
  name: 'sandbox',
  plugins: ({ env }) => [createSandboxPlugin({ env })],
  routes: async () => (await import('./routes.ts')).sandboxRoutes,
};
