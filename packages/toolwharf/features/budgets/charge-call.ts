import { canonicalJson } from '../../kernel/canonical-json.ts';
import { toJsonText } from '../../kernel/exact-json.ts';
import type { ReviewedCall } from '../../policy/review.ts';
import { restricts } from '../../policy/tool-patterns.ts';
import type { BudgetCharge } from '../../storage/ports/budget-store.ts';
import { judge } from '../policy/judge.ts';
import { toValues } from '../policy/variables.ts';
import { toAmount } from './amounts.ts';
import type { CompiledBudget } from './compile-budgets.ts';

/** What a call takes from a budget. */
export interface CallCharge {
  readonly budget: CompiledBudget;
  readonly charge: BudgetCharge;
  /** The condition or sum has no value for the call, which then exceeds the budget. */
  readonly isUnknown: boolean;
}

/** The work of one sum: about 10 milliseconds. */
const maxWork = 50_000;

/** What a call takes from the budgets that are for it. */
export function chargesOf(budgets: readonly CompiledBudget[], call: ReviewedCall, now: Date): readonly CallCharge[] {
  return budgets.flatMap((budget) => {
    const { rule, tools, count, windowMs, max, id } = budget;
    if (tools && !restricts(tools, { server: call.server, originalName: call.originalName, name: call.tool }))
      return [];
    if (count === 'scriptSeconds' && !call.isScript) return [];
    const [outcome] = rule ? judge([rule], call, now) : [];
    if (rule && outcome?.effect === undefined) return [];
    const amount = amountOf(budget, call, now);
    const charge = { budget: id, ...subjectOf(budget, call), windowMs, max, amount: amount ?? 0n, isForced: false };
    return [{ budget, charge, isUnknown: amount === undefined || outcome?.failure !== undefined }];
  });
}

/** Results and durations are known when the call has ended. Until then, it holds one unit. */
const unit = 1_000_000n;

function amountOf({ sum }: CompiledBudget, call: ReviewedCall, now: Date): bigint | undefined {
  if (!sum) return unit;
  try {
    return toAmount(sum.evaluate(toValues(call, now), { left: maxWork }));
  } catch {
    return undefined;
  }
}

/** Whose calls are counted together. A caller without a person, and a call without a profile, count by themselves. */
function subjectOf({ per }: CompiledBudget, call: ReviewedCall): Pick<BudgetCharge, 'subject' | 'label'> {
  const { caller, person, profile = '', server } = call;
  const byCaller = { id: caller.id, name: caller.name ?? caller.id };
  const subjects = {
    person: person ? { id: person.id, name: person.name } : { ...byCaller, id: caller.user ?? caller.id },
    key: byCaller,
    caller: byCaller,
    profile: { id: profile, name: profile },
    tool: { id: canonicalJson([server ?? null, call.originalName]), name: call.tool },
  };
  return {
    subject: canonicalJson(per.map((kind) => [kind, subjects[kind].id])),
    label: JSON.stringify(Object.fromEntries(per.map((kind) => [kind, subjects[kind].name]))),
  };
}

/** What a call took from a budget that is known only now; undefined if the charge stays. */
export function finalAmount(
  { count }: CompiledBudget,
  { result, ranMs }: { readonly result?: object; readonly ranMs: number },
): bigint | undefined {
  if (count === 'scriptSeconds') return BigInt(Math.ceil(ranMs * 1_000));
  if (count !== 'resultBytes') return undefined;
  return BigInt(result ? Buffer.byteLength(toJsonText(result)) : 0) * unit;
}
