import type { Feature } from '../../core/feature.ts';
import { findSandboxProblem } from './bubblewrap.ts';
import { createSandboxPlugin } from './sandbox-plugin.ts';

/** Limits what the programs of servers may touch. */
export const sandbox: Feature = {
  name: 'sandbox',
  plugins: ({ env }) => [createSandboxPlugin({ env })],
  openApi: async ({ process: { env } }) => ({
    // A published program runs watched until a person has accepted what it may touch. Containers have their own limits.
    async settingsForPublished({ command }) {
      if (typeof command !== 'string' || containerRunners.includes(command)) return {};
      return (await findSandboxProblem(env.PATH)) === undefined ? { sandbox: { mode: 'learn' } } : {};
    },
  }),
  routes: async () => (await import('./routes.ts')).sandboxRoutes,
};

const containerRunners = ['docker', 'podman'];
