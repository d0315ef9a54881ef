import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ExecuteOptions, Tool, ToolResult } from '../kernel/tool.ts';

/** Converts catalog entries to tools; one entry always gives the same object. */
export function createToTool(
  execute: (entry: CatalogEntry, args: unknown, options?: ExecuteOptions) => Promise<ToolResult>,
): (entry: CatalogEntry) => Tool {
  const tools = new WeakMap<CatalogEntry, Tool>();
  return (entry) => {
    const known = tools.get(entry);
    if (known) return known;
    const { name, originalName, server, definition } = entry;
    const tool: Tool = {
      name,
      title: definition.title,
      description: definition.description ?? '',
      parameters: definition.inputSchema,
      outputSchema: definition.outputSchema,
      annotations: definition.annotations,
      server,
      originalName,
      execute: (args, options) => execute(entry, args, options),
    };
    tools.set(entry, tool);
    return tool;
  };
}
