import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Tool } from '../kernel/tool.ts';
import type { Invoker } from './call-tool.ts';

/** Catalog entries as an agent's tools; one entry always gives the same object. */
export function createToolView(call: Invoker['call']): (entry: CatalogEntry) => Tool {
  const views = new WeakMap<CatalogEntry, Tool>();
  return (entry) => {
    const known = views.get(entry);
    if (known) return known;
    const { name, definition, server } = entry;
    const view: Tool = {
      name,
      ...(definition.title !== undefined && { title: definition.title }),
      description: definition.description ?? '',
      parameters: definition.inputSchema,
      ...(definition.outputSchema && { outputSchema: definition.outputSchema }),
      ...(definition.annotations && { annotations: definition.annotations }),
      ...(server !== undefined && { server }),
      originalName: entry.originalName,
      execute: (args, options) => call(name, args, options),
    };
    views.set(entry, view);
    return view;
  };
}
