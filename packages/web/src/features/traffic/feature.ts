import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Recorded messages between the gateway and its servers. */
export const traffic: Feature = {
  name: 'traffic',
  title: 'The recording of messages',
  slots: { inspector: lazy(() => import('./TrafficInspector.tsx')) },
};
