import type { Feature } from '../../core/feature.ts';
import { createAppFrames } from './app-frames.ts';
import { appViews } from './app-views.ts';

/** Apps of servers (MCP Apps), shown in frames. */
export const apps: Feature = {
  name: 'apps',
  servesOthers: true,
  mcp: { apps: appViews },
  start: ({ config, sessionKey }) => ({
    core: { frames: createAppFrames({ settings: () => config().gateway.apps, key: sessionKey }) },
  }),
  routes: async () => (await import('./routes.ts')).appRoutes,
};
