import { createFlowsPlugin } from '../features/flows/flows-plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';

/**
 * The plugin that applies `policy.labels` and `policy.flows` of a configuration: labels follow data from results into the arguments of
 * later calls, and flows ask or deny. A toolbox without it refuses a configuration with labels or flows.
 *
 * @example
 * ```ts
 * import { createToolbox, localTool } from 'toolwharf';
 * import { flowsPlugin } from 'toolwharf/flows';
 *
 * const lookup = localTool({ name: 'lookup', execute: () => 'Ada Lovelace, ada@example.com' });
 * const search = localTool({ name: 'search', execute: ({ query }: { query: string }) => `results for ${query}` });
 * await using toolbox = await createToolbox(
 *   {
 *     servers: {},
 *     policy: {
 *       labels: [{ on: 'tool', match: ['lookup'], add: 'private' }],
 *       flows: [{ from: ['private'], to: "call.tool == 'search'", then: 'deny' }],
 *     },
 *   },
 *   { tools: [lookup, search], plugins: [flowsPlugin()] },
 * );
 * await toolbox.call('lookup', {});
 * console.log((await toolbox.call('search', { query: 'weather' })).text); // results for weather
 * console.log((await toolbox.call('search', { query: 'who is ADA LOVELACE?' })).failure?.code); // CALL_DENIED
 * ```
 */
export function flowsPlugin(): Plugin {
  return createFlowsPlugin();
}
