import { createBudgetsPlugin } from '../../../toolwharf/features/budgets/budgets-plugin.ts';
import type { Feature } from '../../core/feature.ts';

/** How much calls may use in a time. */
export const budgets: Feature = {
  name: 'budgets',
  start: ({ storage }) => ({ plugins: [createBudgetsPlugin({ store: storage.budgets })] }),
  routes: async () => (await import('./routes.ts')).budgetRoutes,
};
