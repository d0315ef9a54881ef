import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Which tools models confuse, do not understand or never use. */
export const toolReport: Feature = {
  name: 'tool-report',
  title: 'The tool report',
  commands: [{ kind: 'Page', title: 'Tool report', href: '/tools?show=report', isForAdmins: true }],
  toolTabs: [
    {
      id: 'report',
      label: 'Report',
      Content: lazy(() => import('./ReportTab.tsx')),
      after: 'skills',
      isForAdmins: true,
    },
  ],
  invalidations: { 'catalog.changed': ['tool-report'] },
};
