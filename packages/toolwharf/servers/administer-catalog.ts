import type { Catalog } from '../catalog/catalog.ts';
import type { StoredOverrides } from '../catalog/stored-overrides.ts';
import { toolKey } from '../kernel/tool-id.ts';
import type { ToolFlags } from './flag-tools.ts';

/** The catalog as the gateway uses it: with findings, tools that are switched off, and overrides. */
export function administerCatalog(catalog: Catalog, flags: ToolFlags, overrides: StoredOverrides) {
  return {
    get entries() {
      return catalog.entries;
    },
    get disabled() {
      return catalog.disabled;
    },
    get overrides() {
      return catalog.overrides;
    },
    find: catalog.find,
    warnings(tool: Parameters<Catalog['find']>[0]) {
      const entry = catalog.find(tool);
      return entry ? flags.findingsOf(entry) : [];
    },
    overrideOf: (tool: Parameters<typeof toolKey>[0]) => catalog.overrides.get(toolKey(tool)),
    override: overrides.set,
    reloadOverrides: overrides.reload,
  };
}
