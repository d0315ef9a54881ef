import { messageOf } from '../../../contract/errors.ts';
import { parseGlobs } from '../../../contract/match-globs.ts';
import { budgetPrefix } from '../../../contract/settings/choices.ts';
import type { BudgetConfig } from '../../../contract/settings/config.ts';
import type { ConfigProblem } from '../../plugins/plugin.ts';
import { type CompiledExpression, ConditionError, compileExpression } from '../policy/cel/compile.ts';
import { type CompiledRule, compileRule } from '../policy/compile-rules.ts';
import { usesHistory } from '../policy/history.ts';
import { policyVariables } from '../policy/variables.ts';
import { toAmount } from './amounts.ts';

/** A budget whose conditions can be evaluated. */
export interface CompiledBudget extends Omit<BudgetConfig, 'max' | 'sum'> {
  readonly max: bigint;
  /** The id in the journal and in approvals. */
  readonly ruleId: string;
  /** The condition, as a rule that applies to the calls which the budget is for. */
  readonly rule?: CompiledRule;
  readonly sum?: CompiledExpression;
}

/** Compiles all budgets. Reports every one that cannot be compiled, and leaves it out. */
export function compileBudgets(
  budgets: readonly BudgetConfig[],
  report: (problem: ConfigProblem) => void,
): readonly CompiledBudget[] {
  const ids = new Map<string, number>();
  return budgets.flatMap((budget, index) => {
    const path = ['policy', 'budgets', index];
    const earlier = ids.get(budget.id);
    if (earlier !== undefined)
      report({
        path: [...path, 'id'],
        message: `there is another budget with the id '${budget.id}', at index ${earlier}`,
      });
    ids.set(budget.id, index);
    const { id, when, sum, tools = [], mode } = budget;
    const compile = <Value>(key: string, build: () => Value): Value | undefined => {
      try {
        return build();
      } catch (cause) {
        const offset = cause instanceof ConditionError ? cause.at : undefined;
        report({
          path: [...path, key],
          message: cause instanceof ConditionError ? cause.reason : messageOf(cause),
          offset,
        });
        return undefined;
      }
    };
    compile('tool', () => tools.map(parseGlobs));
    const condition = when === undefined ? undefined : compile('when', () => compileRule({ when, then: 'deny' }));
    const compiled = sum === undefined ? undefined : compile('sum', () => compileExpression(sum, policyVariables));
    const max = toAmount(budget.max);
    for (const [key, one] of Object.entries({ when: condition, sum: compiled }))
      if (one && usesHistory(one))
        report({ path: [...path, key], message: 'a budget counts itself: it knows no history' });
    if ((when !== undefined && !condition) || (sum !== undefined && !compiled) || max === undefined) return [];
    const ruleId = `${budgetPrefix}${id}`;
    const rule = condition && {
      ...{ id: ruleId, when: condition.text, then: 'deny' as const, mode, onFailure: 'deny' as const },
      ...{ condition, examples: [] },
    };
    return [{ ...budget, ruleId, max, rule, sum: compiled }];
  });
}
