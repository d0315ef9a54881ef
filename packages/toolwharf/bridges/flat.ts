import type { Tool, ToolResult, ToolSource } from '../kernel/tool.ts';
import { callByProviderName, type RunOptions } from './shared/call-by-provider-name.ts';
import { type BridgeOptions, type OmittedTool, omittedTools, type SourceOptions } from './shared/express-tools.ts';
import { openAIRules } from './shared/provider-rules.ts';
import { type FlatParameter, type FlatTool, toFlatTools } from './shared/to-flat-tools.ts';

export type { BridgeOptions, FlatParameter, FlatTool, OmittedTool, RunOptions, SourceOptions };
export { toFlatTools };

/** The tools that cannot be converted to a flat list, with the reasons. */
export function flatOmitted(source: ToolSource, options?: Pick<BridgeOptions<Tool>, 'maxTools'>): OmittedTool<Tool>[] {
  return omittedTools(source.tools, openAIRules, options);
}

/** Calls a tool by its name in the flat list. Never throws: an unknown name is a result with `isError`. */
export async function callFlatTool(
  source: ToolSource,
  name: string,
  args: unknown,
  options?: RunOptions,
): Promise<ToolResult> {
  const [result] = await callByProviderName(source, [{ name, args }], openAIRules, options);
  return result as ToolResult;
}
