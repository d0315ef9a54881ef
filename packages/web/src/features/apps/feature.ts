import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Apps of servers (MCP Apps), shown in frames. */
export const apps: Feature = {
  name: 'apps',
  title: 'Apps of servers',
  slots: { toolApp: lazy(() => import('./ToolApp.tsx')), sessionCard: lazy(() => import('./AppsCard.tsx')) },
};
