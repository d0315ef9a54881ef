import { budgetsSchema } from '../api/budgets.ts';
import { defineRoutes } from './define-routes.ts';

export const budgetRoutes = defineRoutes({
  listBudgets: {
    right: 'policy.read',
    group: 'policy',
    method: 'get',
    path: '/api/policy/budgets',
    summary: 'Returns the budgets, with what was used and is left.',
    answer: budgetsSchema,
  },
});
