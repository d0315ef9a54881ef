import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { useMay } from '../../api/queries.ts';
import type { Command, Feature } from '../../shell/feature.ts';
import { fleetQueries } from './queries.ts';

const commands: readonly Command[] = [
  { kind: 'Page', title: 'Settings: fleet', href: '/settings/fleet', needs: 'settings.read' },
];
const none: readonly Command[] = [];

/** Several replicas on one database. */
export const fleet: Feature = {
  name: 'fleet',
  title: 'The fleet',
  useCommands: () => (useIsFleet() ? commands : none),
  settings: [
    {
      id: 'fleet',
      label: 'Fleet',
      after: 'activity',
      needs: 'settings.read',
      useIsListed: useIsFleet,
      Content: lazy(() => import('./FleetSection.tsx')),
    },
  ],
};

function useIsFleet(): boolean {
  return useQuery({ ...fleetQueries.fleet(), enabled: useMay('settings.read') }).data?.shared === true;
}
