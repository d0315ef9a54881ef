import { budgetRoutes as routes } from '../../../contract/routes/budgets.ts';
import type { BudgetSubject } from '../../../contract/settings/choices.ts';
import { fromAmount, toAmount } from '../../../toolwharf/features/budgets/amounts.ts';
import { implement } from '../../core/rest/route.ts';

/** How many of those who used a budget are listed. */
const maxUses = 100;

export const budgetRoutes = [
  implement(routes.listBudgets, {
    async handle(_request, { toolbox, storage }) {
      const budgets = (toolbox.config.budgets ?? []).map(async ({ per, tools, ...budget }) => {
        const max = toAmount(budget.max) ?? 0n;
        const uses = await storage.budgets.list(budget.id, budget.windowMs, maxUses);
        return {
          ...{ ...budget, per: [...per], tools: tools && [...tools] },
          uses: uses.map(({ label, used }) => ({
            subject: JSON.parse(label) as Partial<Record<BudgetSubject, string>>,
            used: fromAmount(used),
            left: fromAmount(used < max ? max - used : 0n),
          })),
        };
      });
      return { budgets: await Promise.all(budgets) };
    },
  }),
];
