import { ScrollText } from 'lucide-react';
import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Scripts that are saved as tools. */
export const scripts: Feature = {
  name: 'scripts',
  title: 'Scripts',
  pages: { '/scripts/:script?': lazy(() => import('./ScriptsPage.tsx')) },
  navigation: [{ href: '/scripts', label: 'Scripts', Icon: ScrollText, after: '/tools', needs: 'scripts.write' }],
  commands: [
    { kind: 'Page', title: 'Scripts', href: '/scripts', needs: 'scripts.write' },
    { kind: 'Action', title: 'New script', href: '/scripts/new', needs: 'scripts.write' },
  ],
  invalidations: { 'catalog.changed': ['scripts'], 'config.applied': ['scripts'] },
};
