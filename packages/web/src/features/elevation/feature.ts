import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { queries } from '../../api/queries.ts';
import type { Feature } from '../../shell/feature.ts';

/** Roles that people ask for and others grant for a limited time. */
export const elevation: Feature = {
  name: 'elevation',
  title: 'Roles for a limited time',
  commands: [
    { kind: 'Page', title: 'Settings: roles for a limited time', href: '/settings/elevation', needs: 'tools.read' },
  ],
  settings: [
    {
      id: 'elevation',
      label: 'Elevation',
      after: 'session',
      useIsListed: () => useQuery(queries.session()).data?.signIn !== undefined,
      Content: lazy(() => import('./ElevationSection.tsx')),
    },
  ],
};
