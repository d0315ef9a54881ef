import { createPolicyPlugin } from '../features/policy/policy-plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';

/**
 * The plugin that applies the section `policy` of a configuration: conditions over calls that deny, ask or hide. A toolbox without it
 * refuses a configuration with rules.
 *
 * @example
 * ```ts
 * import { createToolbox, localTool } from 'toolwharf';
 * import { policyPlugin } from 'toolwharf/policy';
 *
 * const send = localTool({ name: 'send', execute: ({ to }: { to: string }) => `sent to ${to}` });
 * const when = "call.tool == 'send' && !call.args.to.endsWith('@example.com')";
 * await using toolbox = await createToolbox(
 *   { servers: {}, policy: { rules: [{ id: 'outside', when, then: 'deny', reason: 'Mail leaves the company' }] } },
 *   { tools: [send], plugins: [policyPlugin()] },
 * );
 * console.log((await toolbox.call('send', { to: 'ada@example.com' })).text); // sent to ada@example.com
 * console.log((await toolbox.call('send', { to: 'eve@evil.example' })).failure?.code); // CALL_DENIED
 * ```
 */
export function policyPlugin(): Plugin {
  return createPolicyPlugin();
}
