import { durationText } from '../../../contract/settings/durations.ts';
import {
  type ConfiguredHooks,
  definePlugin,
  type Plugin,
  type ReserveVerdict,
  type ReviewVerdict,
} from '../../plugins/plugin.ts';
import type { DecidingRule, ReservationEnd } from '../../policy/review.ts';
import { createMemoryBudgets } from '../../storage/memory/memory-budgets.ts';
import type { BudgetStore, ExceededBudget } from '../../storage/ports/budget-store.ts';
import { fromAmount } from './amounts.ts';
import { type CallCharge, chargesOf, finalAmount } from './charge-call.ts';
import { type CompiledBudget, compileBudgets } from './compile-budgets.ts';

export interface BudgetsOptions {
  /** Counts what calls use; in memory by default. */
  readonly store?: BudgetStore;
  readonly now?: () => number;
}

/** Applies `policy.budgets` of the configuration. Without budgets it has no hooks, so that calls do not wait for it. */
export function createBudgetsPlugin({ now = Date.now, store = createMemoryBudgets(now) }: BudgetsOptions = {}): Plugin {
  return definePlugin({
    name: 'toolwharf.budgets',
    section: 'budgets',
    configure: (config, report) => createHooks(compileBudgets(config.budgets ?? [], report), store, now),
  });
}

function createHooks(budgets: readonly CompiledBudget[], store: BudgetStore, now: () => number): ConfiguredHooks {
  if (budgets.length === 0) return {};
  return {
    async review(call) {
      const charges = chargesOf(budgets, call, new Date(now()));
      const known = charges.filter(({ isUnknown }) => !isUnknown);
      const exceeded = known.length === 0 ? [] : await store.check(known.map(({ charge }) => charge));
      return toVerdict(charges, exceeded);
    },
    async reserve(call, { signal }): Promise<ReserveVerdict> {
      const isApproved = ({ ruleId, then }: CompiledBudget) => then === 'ask' && call.approvedRules.includes(ruleId);
      const charges = chargesOf(budgets, call, new Date(now()));
      // A person has allowed these, and budgets in shadow mode only count.
      const isForced = ({ budget }: CallCharge) => budget.mode === 'shadow' || isApproved(budget);
      const stopping = charges.filter((charge) => charge.isUnknown && !isForced(charge));
      if (stopping.length > 0) return toVerdict(stopping, []);
      if (charges.length === 0) return { kind: 'allow' };
      const all = charges.map((one) => ({ ...one.charge, isForced: isForced(one) }));
      const id = `${call.id} ${call.createdAt}`;
      const exceeded = await store.reserve(id, all);
      if (exceeded.length > 0) return toVerdict(charges, exceeded);
      const settle = (end: ReservationEnd) => settleCharges(store, id, charges, end);
      if (signal.aborted) await settle({ outcome: 'unsent', ranMs: 0 });
      return { kind: 'allow', settle };
    },
  };
}

/** Gives back what a call that never ran was charged, and charges what is known only now. */
async function settleCharges(
  store: BudgetStore,
  call: string,
  charges: readonly CallCharge[],
  end: ReservationEnd,
): Promise<void> {
  const changed = charges.flatMap(({ budget, charge: { budget: id, subject } }) => {
    const amount = end.outcome === 'unsent' ? 0n : finalAmount(budget, end);
    return amount === undefined ? [] : [{ budget: id, subject, amount }];
  });
  if (changed.length > 0) await store.settle(call, changed);
}

/** What the exceeded budgets, and those without a value for the call, decide together: `deny` beats `ask`. */
function toVerdict(charges: readonly CallCharge[], exceeded: readonly ExceededBudget[]): ReviewVerdict {
  const stopping = charges.flatMap((charge) => {
    const found = exceeded.find(({ budget }) => budget === charge.budget.id);
    return found || charge.isUnknown ? [{ ...charge, exceeded: found }] : [];
  });
  const rules = stopping.map(({ budget, isUnknown }): DecidingRule => {
    const { ruleId: id, then: effect, mode } = budget;
    return { id, effect, mode, ...(isUnknown && { failed: true as const }) };
  });
  const enforced = stopping.filter(({ budget }) => budget.mode === 'enforce');
  const denying = enforced.filter(({ budget }) => budget.then === 'deny');
  const deciding = denying.length > 0 ? denying : enforced;
  const [first] = deciding;
  if (!first) return { kind: 'allow', rules };
  const reason = deciding.map(reasonOf).join('; ');
  if (denying.length === 0) return { kind: 'ask', reason, rules };
  const waits = deciding.map((one) => one.exceeded?.retryAfterMs);
  return {
    ...{ kind: 'deny', reason, rules },
    limit: {
      ...{ limit: 'budget', budget: first.budget.id, max: fromAmount(first.budget.max) },
      ...(first.exceeded && { left: leftOf(first.budget, first.exceeded), takes: fromAmount(first.charge.amount) }),
      // Waiting helps if it helps with all of them.
      ...(waits.every((wait) => wait !== undefined) && { retryAfterMs: Math.max(...waits) }),
    },
  };
}

function reasonOf({ budget, charge, exceeded }: CallCharge & { readonly exceeded?: ExceededBudget }): string {
  const facts = exceeded
    ? `the budget '${budget.id}' has ${leftOf(budget, exceeded)} of ${fromAmount(budget.max)} left in ${durationText(budget.windowMs)}`
    : `the budget '${budget.id}' cannot be computed for this call`;
  const needed = exceeded && budget.sum ? `, and the call takes ${fromAmount(charge.amount)}` : '';
  return budget.reason === undefined ? `${facts}${needed}` : `${budget.reason} (${facts}${needed})`;
}

/** What is left of a budget. */
export function leftOf({ max }: Pick<CompiledBudget, 'max'>, { used }: Pick<ExceededBudget, 'used'>): number {
  return fromAmount(used < max ? max - used : 0n);
}
