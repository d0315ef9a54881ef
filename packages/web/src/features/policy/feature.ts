import { Scale } from 'lucide-react';
import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Conditions over calls. */
export const policy: Feature = {
  name: 'policy',
  title: 'Policies',
  pages: {
    '/policy': lazy(() => import('./PolicyPage.tsx')),
    '/rules/:rule?': lazy(() => import('./RulePage.tsx')),
  },
  navigation: [{ href: '/policy', label: 'Policy', Icon: Scale, after: '/profiles', needs: 'policy.read' }],
  commands: [
    { kind: 'Page', title: 'Policy', href: '/policy', needs: 'policy.read' },
    { kind: 'Action', title: 'New policy rule', href: '/rules/new', needs: 'policy.write' },
  ],
  invalidations: { 'config.applied': ['rules', 'policy'] },
  slots: { callDecision: lazy(() => import('./CallDecision.tsx')) },
};
