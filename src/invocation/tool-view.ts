import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Tool } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import type { Invoker } from './call-tool.ts';

/** Catalog entries as an agent's tools; one entry always gives the same object. */
export function createToolView(call: Invoker['call']): (entry: CatalogEntry) => Tool {
  const views = new WeakMap<CatalogEntry, Tool>();
  return (entry) => {
    const known = views.get(entry);
    if (known) return known;
    const { name, definition, server } = entry;
    const id = toolIdOf(entry);
    const view: Tool = {
      name,
      ...(definition.title !== undefined && { title: definition.title }),
      description: definition.description ?? '',
      parameters: definition.inputSchema,
      ...(definition.outputSchema && { outputSchema: definition.outputSchema }),
      ...(definition.annotations && { annotations: definition.annotations }),
      ...(server !== undefined && { server }),
      originalName: entry.originalName,
      // By id: the tool that this object stands for, whatever its name means by then.
      execute: (args, options) => call(id, args, options),
    };
    views.set(entry, view);
    return view;
  };
}
