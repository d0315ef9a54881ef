import { isObject } from '../../../contract/json.ts';
import type { PolicyAction } from '../../../contract/settings/choices.ts';
import { toJsonText } from '../../kernel/exact-json.ts';
import type { DecidingRule } from '../../policy/review.ts';
import type { Condition, ConditionValues } from './cel/compile.ts';
import { toComparable } from './comparable.ts';
import type { CompiledRule } from './compile-rules.ts';
import { type CallFacts, toValues } from './variables.ts';

/** What a rule found in a call. `effect` is undefined for a rule that does not apply. */
export interface RuleOutcome {
  readonly rule: CompiledRule;
  /** What the rule decides, or in `shadow` mode would decide. */
  readonly effect?: PolicyAction | 'allow';
  /** Why the condition has no value for the call. It can quote values. */
  readonly failure?: string;
}

/** The work of one condition, and of all conditions of a call together: about 10 and 20 milliseconds. */
const maxWork = 50_000;
const maxTotalWork = 100_000;

/** Evaluates the rules for a call. The order of the rules does not matter. */
export function judge(rules: readonly CompiledRule[], call: CallFacts, now: Date): readonly RuleOutcome[] {
  const spellings = spellingsOf(call, now);
  const total = { left: maxTotalWork };
  return rules
    .filter(({ profiles }) => isForProfile(profiles, call.profile))
    .map((rule) => evaluateRule(rule, spellings, total));
}

function isForProfile(profiles: readonly string[] | undefined, profile: string | undefined): boolean {
  return profiles === undefined || (profile !== undefined && profiles.includes(profile));
}

/**
 * A rule applies if its condition is true for the texts as they are, or as people read them. Nobody escapes a rule by another
 * spelling of the same text, and none passes as a text that a rule lets through.
 */
function spellingsOf(call: CallFacts, now: Date): readonly ConditionValues[] {
  const exact = toValues(call, now);
  const args = toComparable(call.arguments);
  if (args === call.arguments) return [exact];
  return [exact, toValues({ ...call, arguments: args as CallFacts['arguments'] }, now)];
}

function evaluateRule(rule: CompiledRule, spellings: readonly ConditionValues[], total: { left: number }): RuleOutcome {
  let failure: string | undefined;
  for (const values of spellings) {
    const budget = { left: Math.min(maxWork, total.left) };
    const before = budget.left;
    try {
      if (rule.condition.evaluate(values, budget)) return { rule, effect: rule.then };
    } catch (cause) {
      failure ??= cause instanceof Error ? cause.message : String(cause);
    } finally {
      total.left -= before - Math.max(0, budget.left);
    }
  }
  return failure === undefined ? { rule } : { rule, effect: rule.onFailure, failure };
}

/** What a condition reads of a call, as JSON; without what the call does not have. */
export function readValues({ paths }: Pick<Condition, 'paths'>, call: CallFacts, now: Date): readonly ReadValue[] {
  const values = toValues(call, now);
  return paths.flatMap((name) => {
    const value = name.split('.').reduce<unknown>(memberAt, values);
    return value === undefined ? [] : [{ name, value: shorten(toJsonText(value)) }];
  });
}

export interface ReadValue {
  readonly name: string;
  readonly value: string;
}

function memberAt(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const maxValueLength = 300;

function shorten(text: string): string {
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

/** The rules that decided, or would have decided, as the journal has them: without values. */
export function toDecidingRules(outcomes: readonly RuleOutcome[]): readonly DecidingRule[] {
  return outcomes.flatMap(({ rule: { id, mode }, effect, failure }) =>
    effect === undefined ? [] : [{ id, effect, mode, ...(failure !== undefined && { failed: true as const }) }],
  );
}

/** What the rules that are enforced decide together: `deny` beats `ask`. A hidden tool cannot be called. */
export interface Verdict {
  readonly kind: 'deny' | 'ask';
  readonly reason: string;
}

export function toVerdict(outcomes: readonly RuleOutcome[]): Verdict | undefined {
  const enforced = outcomes.filter(({ rule }) => rule.mode === 'enforce');
  const denying = enforced.filter(({ effect }) => effect === 'deny' || effect === 'hide');
  if (denying.length > 0) return { kind: 'deny', reason: reasonOf(denying) };
  const asking = enforced.filter(({ effect }) => effect === 'ask');
  return asking.length > 0 ? { kind: 'ask', reason: reasonOf(asking) } : undefined;
}

const maxReasons = 5;

function reasonOf(outcomes: readonly RuleOutcome[]): string {
  const reasons = outcomes.slice(0, maxReasons).map(({ rule: { id, reason }, failure }) => {
    if (failure !== undefined) return `the condition of the rule '${id}' has no value for this call`;
    return reason === undefined ? `the rule '${id}' applies` : `${reason} (rule '${id}')`;
  });
  const more = outcomes.length - reasons.length;
  return more > 0 ? `${reasons.join('; ')}; and ${more} more rules` : reasons.join('; ');
}
