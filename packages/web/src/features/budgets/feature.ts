import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** How much calls may use in a time. */
export const budgets: Feature = {
  name: 'budgets',
  title: 'Budgets',
  slots: { budgets: lazy(() => import('./BudgetCards.tsx')) },
  invalidations: { 'config.applied': ['budgets'] },
};
