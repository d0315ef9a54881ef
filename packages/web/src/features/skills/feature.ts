import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Skills of servers and of local folders. */
export const skills: Feature = {
  name: 'skills',
  title: 'Skills',
  commands: [{ kind: 'Page', title: 'Skills', href: '/tools?show=skills' }],
  toolTabs: [{ id: 'skills', label: 'Skills', Content: lazy(() => import('./SkillsTab.tsx')) }],
};
