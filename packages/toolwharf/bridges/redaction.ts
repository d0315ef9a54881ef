import { createRedactionPlugin } from '../features/redaction/redaction-plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';

/**
 * The plugin that applies the section `redaction` of a configuration: secrets and personal data in calls are detected, masked or
 * blocked. A toolbox without it refuses a configuration with such a section.
 *
 * @example
 * ```ts
 * import { createToolbox, localTool } from 'toolwharf';
 * import { redactionPlugin } from 'toolwharf/redaction';
 *
 * const find = localTool({ name: 'find', execute: () => 'Ada, ada@example.com' });
 * await using toolbox = await createToolbox(
 *   { servers: {}, redaction: { results: { email: 'mask' } } },
 *   { tools: [find], plugins: [redactionPlugin()] },
 * );
 * console.log((await toolbox.call('find', {})).text); // Ada, [email]
 * console.log((await toolbox.calls.list())[0]?.redaction?.[0]?.count); // 1
 * ```
 */
export function redactionPlugin(): Plugin {
  return createRedactionPlugin();
}
