import { openScripts } from '../features/scripts/open-scripts.ts';
import { assertCanRunScripts } from '../features/scripts/process/sandbox.ts';
import type { ToolboxScripts } from '../invocation/run-steps.ts';

export type { ToolboxScripts };

/**
 * Lets a toolbox run scripts that models write, for bridges with `expose: code`. Each script runs in a process of its own, which
 * ends with the script. Throws in Bun and Deno, whose processes cannot be restricted, and if the packages `quickjs-emscripten-core`
 * and `@jitl/quickjs-ng-wasmfile-release-sync` are not installed.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { createScripts } from 'toolwharf/code';
 * import { runOpenAIToolCalls, toOpenAITools } from 'toolwharf/openai';
 *
 * await using toolbox = await createToolbox(
 *   { servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } } },
 *   { scripts: createScripts() },
 * );
 * const tools = toOpenAITools(toolbox, { expose: 'code' });
 * console.log(tools.map((tool) => tool.function.name).join()); // run_code,search_tools,describe_tools
 * const code = "(await tools.everything.echo({ message: 'ahoy' })).toUpperCase()";
 * const call = { id: 'call_1', function: { name: 'run_code', arguments: JSON.stringify({ code }) } };
 * const [reply] = await runOpenAIToolCalls(toolbox, [call]);
 * console.log(reply?.content); // ECHO: AHOY
 * ```
 */
export function createScripts(): ToolboxScripts {
  assertCanRunScripts();
  return { open: (toolbox) => openScripts(toolbox) };
}
