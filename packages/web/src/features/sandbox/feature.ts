import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** What the programs of servers may touch. */
export const sandbox: Feature = {
  name: 'sandbox',
  title: 'Sandboxes',
  slots: { serverSandbox: lazy(() => import('./ServerSandbox.tsx')) },
  invalidations: { 'config.applied': ['sandbox'] },
};
