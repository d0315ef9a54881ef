import type { Feature } from '../../core/feature.ts';

/** Which tools models confuse, do not understand, cannot be offered or never use, and what they cost. */
export const toolReport: Feature = {
  name: 'tool-report',
  routes: async () => (await import('./routes.ts')).toolReportRoutes,
};
