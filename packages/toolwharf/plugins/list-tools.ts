import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ActivePlugin } from './active-plugin.ts';
import { copyJson } from './copies.ts';
import type { ListedTool } from './plugin.ts';

/**
 * Asks the plugins once for each definition and profile: lists and calls are checked often. A plugin that fails hides the tool,
 * unless the operator allows failures. Undefined if no plugin hides tools.
 */
export function createIsListed(
  plugins: readonly ActivePlugin[],
): ((tool: CatalogEntry, profile: string | undefined) => boolean) | undefined {
  const listers = plugins.filter(({ plugin }) => plugin.list);
  if (listers.length === 0) return undefined;
  const known = new WeakMap<CatalogEntry, Map<string | undefined, boolean>>();

  function shows(active: ActivePlugin, tool: ListedTool, profile: string | undefined): boolean {
    const fields = { tool: tool.name, profile };
    try {
      const isShown = active.runNow('list', (context) => active.plugin.list?.(tool, { profile }, context));
      if (typeof isShown !== 'boolean') throw new Error('it must return true or false at once');
      if (isShown) return true;
      return active.shadows('list', `hidden ${tool.name}`, fields);
    } catch (cause) {
      active.fail('list', cause, fields);
      return active.mode === 'shadow' || active.onFailure === 'allow';
    }
  }

  return (entry, profile) => {
    // Our own tools for searching and running others are not in the catalog.
    if (entry.isBuiltIn) return true;
    const ofEntry = known.get(entry) ?? new Map<string | undefined, boolean>();
    known.set(entry, ofEntry);
    let isShown = ofEntry.get(profile);
    if (isShown === undefined) {
      const tool = toListedTool(entry);
      isShown = listers.every((lister) => shows(lister, tool, profile));
      ofEntry.set(profile, isShown);
    }
    return isShown;
  };
}

function toListedTool({ server, name, originalName, definition, serverTrusted }: CatalogEntry): ListedTool {
  const { title, description, annotations } = definition;
  return copyJson({ server, name, originalName, title, description, annotations, serverTrusted });
}
