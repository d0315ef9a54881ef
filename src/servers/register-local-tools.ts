import type { UnnamedEntry } from '../catalog/catalog.ts';
import { toChainTool } from '../catalog/chain-tool.ts';
import { definitionHash } from '../catalog/definition-hash.ts';
import { type LocalTool, toLocalDefinition } from '../catalog/local-tool.ts';
import type { Config, ToolboxConfig } from '../config/config.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import { loadLocalTools } from './load-local-tools.ts';

/**
 * The catalog entries of all tools that belong to no server: those of the program, of the configured modules, and chains.
 * Rejects if one is not configured in a dialect that requires it.
 */
export async function registerLocalTools(
  { localTools, toolbox }: Pick<Config, 'localTools' | 'toolbox'>,
  ofProgram: readonly LocalTool[] = [],
): Promise<readonly UnnamedEntry[]> {
  const ofModules = await loadLocalTools(localTools);
  return toEntries([...ofProgram, ...ofModules, ...toolbox.chains.map(toChainTool)], toolbox);
}

function toEntries(tools: readonly LocalTool[], config: ToolboxConfig): readonly UnnamedEntry[] {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new ToolwharfError('CONFIG_INVALID', `Local tool '${name}' is registered twice`, { data: { tool: name } });
    names.add(name);
  }
  const configured = new Map(config.tools.filter((tool) => tool.server === undefined).map((tool) => [tool.name, tool]));
  const missing = config.localToolsMustBeConfigured ? [...names].filter((name) => !configured.has(name)) : [];
  if (missing.length > 0) throw notConfigured(missing, [...configured.keys()]);
  return tools.map((tool) => {
    const settings = configured.get(tool.name);
    const definition = toLocalDefinition(tool);
    return {
      originalName: tool.name,
      // The program's own tools are as trusted as the program.
      serverTrusted: true,
      definition,
      annotations: tool.annotations,
      definitionHash: definitionHash(definition),
      limits: {
        maxInstances: settings?.maxInstances ?? tool.maxInstances ?? config.defaultTool.maxInstances,
        timeoutMs: settings?.timeoutMs ?? tool.timeoutMs ?? config.defaultTool.timeoutMs,
      },
      paramHeaders: [],
      local: tool,
    };
  });
}

function notConfigured(missing: readonly string[], configured: readonly string[]): ToolwharfError {
  const list = missing.map((name) => `'${name}'`).join(', ');
  const [subject, verb] = missing.length === 1 ? ['Local tool', 'is'] : ['Local tools', 'are'];
  const message = [
    `${subject} ${list} ${verb} not configured in the toolbox.`,
    '',
    `Configured tools: [${configured.join(', ')}]`,
    '',
    'To resolve: add each to myai.toolbox.tools in your configuration.',
  ].join('\n');
  return new ToolwharfError('TOOL_NOT_CONFIGURED', message, { data: { missing } });
}
