import { KeyRound } from 'lucide-react';
import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Each person's own accounts at servers. */
export const accounts: Feature = {
  name: 'accounts',
  title: 'Accounts',
  pages: { '/accounts': lazy(() => import('./AccountsPage.tsx')) },
  navigation: [{ href: '/accounts', label: 'Accounts', Icon: KeyRound, after: '/settings/connect' }],
  commands: [{ kind: 'Page', title: 'Accounts', href: '/accounts' }],
};
