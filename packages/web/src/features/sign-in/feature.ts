import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { queries } from '../../api/queries.ts';
import type { Feature } from '../../shell/feature.ts';

/** People sign in at an identity provider. */
export const signIn: Feature = {
  name: 'sign-in',
  title: 'The sign-in of people',
  commands: [{ kind: 'Page', title: 'Settings: users', href: '/settings/users', needs: 'users.write' }],
  settings: [
    {
      id: 'users',
      label: 'Users',
      after: 'keys',
      needs: 'users.write',
      useIsListed: () => useQuery(queries.session()).data?.signIn !== undefined,
      Content: lazy(() => import('./UsersSection.tsx')),
    },
  ],
  slots: { providerSignIn: lazy(() => import('./ProviderLink.tsx')) },
};
