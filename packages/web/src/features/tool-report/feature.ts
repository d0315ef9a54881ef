import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Which tools models confuse, do not understand or never use. */
export const toolReport: Feature = {
  name: 'tool-report',
  title: 'The tool report',
  commands: [{ kind: 'Page', title: 'Tool report', href: '/tools?show=report', needs: 'tools.write' }],
  toolTabs: [
    {
      id: 'report',
      label: 'Report',
      Content: lazy(() => import('./ReportTab.tsx')),
      after: 'skills',
      needs: 'tools.write',
    },
  ],
  invalidations: { 'catalog.changed': ['tool-report'] },
};
