import { createBudgetsPlugin } from '../features/budgets/budgets-plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';

/**
 * The plugin that applies `policy.budgets` of a configuration: how many calls, sums of arguments, bytes of results and seconds of scripts
 * are allowed in a sliding window. A toolbox without it refuses a configuration with budgets. It counts in memory.
 *
 * @example
 * ```ts
 * import { createToolbox, localTool } from 'toolwharf';
 * import { budgetsPlugin } from 'toolwharf/budgets';
 *
 * const pay = localTool({ name: 'pay', execute: ({ amount }: { amount: number }) => `paid ${amount}` });
 * const budget = { id: 'payments', sum: 'call.args.amount', window: '24h', max: 100, then: 'deny' } as const;
 * await using toolbox = await createToolbox(
 *   { servers: {}, policy: { budgets: [budget] } },
 *   { tools: [pay], plugins: [budgetsPlugin()] },
 * );
 * console.log((await toolbox.call('pay', { amount: 99.9 })).text); // paid 99.9
 * console.log((await toolbox.call('pay', { amount: 0.2 })).failure?.code); // LIMIT_REACHED
 * ```
 */
export function budgetsPlugin(): Plugin {
  return createBudgetsPlugin();
}
