import { messageOf } from '../../../contract/errors.ts';
import { parseGlobs } from '../../../contract/match-globs.ts';
import type { PolicyAction } from '../../../contract/settings/choices.ts';
import type { PolicyRule } from '../../../contract/settings/config.ts';
import type { ConfigProblem } from '../../plugins/plugin.ts';
import { type Condition, ConditionError, compileCondition, EvaluationError } from './cel/compile.ts';
import { policyVariables } from './variables.ts';

/** A rule whose condition can be evaluated. */
export interface CompiledRule extends PolicyRule {
  readonly condition: Condition;
}

/** What rules know that are not about a whole call. */
const limits: Readonly<
  Partial<
    Record<PolicyAction, { readonly variables: typeof policyVariables; readonly reason: (names: string) => string }>
  >
> = {
  hide: {
    variables: policyVariables.filter(({ isListed }) => isListed),
    reason: (names) => `a rule that hides tools knows only ${names}, which are known without a call`,
  },
  redact: {
    variables: policyVariables.filter(({ isListed, isBeforeArguments }) => isListed || isBeforeArguments),
    reason: (names) =>
      `a rule that redacts knows only ${names}, because it comes before everything that reads arguments`,
  },
};

/** Compiles all rules. Reports every rule that cannot be compiled, with the position in its condition, and leaves it out. */
export function compileRules(
  rules: readonly PolicyRule[],
  report: (problem: ConfigProblem) => void,
): readonly CompiledRule[] {
  const indexes = new Map<string, number>();
  return rules.flatMap((rule, index) => {
    const path = ['policy', 'rules', index];
    const earlier = indexes.get(rule.id);
    if (earlier !== undefined)
      report({ path: [...path, 'id'], message: `there is another rule with the id '${rule.id}', at index ${earlier}` });
    indexes.set(rule.id, index);
    try {
      return [{ ...rule, condition: compileRule(rule) }];
    } catch (cause) {
      if (!(cause instanceof ConditionError)) throw cause;
      report({ path: [...path, 'when'], message: cause.reason, offset: cause.at });
      return [];
    }
  });
}

/** A rule that was stored once and cannot be compiled any more: it has no value for any call. */
export function toUnusableRule(rule: PolicyRule, problem: string): CompiledRule {
  const condition: Condition = {
    ...{ text: rule.when, uses: new Set(), paths: [], calls: [] },
    evaluate() {
      throw new EvaluationError(problem);
    },
  };
  return { ...rule, condition };
}

/** Compiles the condition of a rule. Throws a `ConditionError`. */
export function compileRule({ when, then }: Pick<PolicyRule, 'when' | 'then'>): Condition {
  // Texts of calls are compared in this Unicode form too.
  const text = when.normalize();
  const condition = compileCondition(text, policyVariables);
  for (const { name, args } of condition.calls) {
    try {
      if (name.startsWith('history.')) parseGlobs(args[0] ?? '');
    } catch (cause) {
      throw new ConditionError(messageOf(cause), text, 0);
    }
  }
  const limit = limits[then];
  if (!limit) return condition;
  try {
    return compileCondition(text, limit.variables);
  } catch (cause) {
    if (!(cause instanceof ConditionError)) throw cause;
    throw new ConditionError(limit.reason(limit.variables.map(({ name }) => name).join(', ')), text, cause.at);
  }
}
