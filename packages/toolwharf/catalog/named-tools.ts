import { createSlice } from '../kernel/slices.ts';
import { toolIdOf, toolKey } from '../kernel/tool-id.ts';
import type { CatalogEntry } from './catalog-entry.ts';
import { joinedNamings, nameTool } from './name-tools.ts';

/** The changes of an update, in exposed names. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** The tools under their exposed names. */
export interface NamedTools {
  readonly entries: readonly CatalogEntry[];
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  readonly byKey: ReadonlyMap<string, CatalogEntry>;
  /** Renamed tools by the names that they would have otherwise. */
  readonly byFormerName: ReadonlyMap<string, CatalogEntry>;
  readonly disabled: readonly CatalogEntry[];
}

/** No tools. */
export const noTools: NamedTools = {
  entries: [],
  byName: new Map(),
  byKey: new Map(),
  byFormerName: new Map(),
  disabled: [],
};

/** Indexes named tools, those that can be used and those that are switched off. */
export async function indexTools(
  entries: readonly CatalogEntry[],
  disabled: readonly CatalogEntry[],
): Promise<NamedTools> {
  const byName = new Map<string, CatalogEntry>();
  const byKey = new Map<string, CatalogEntry>();
  const byFormerName = new Map<string, CatalogEntry>();
  const slice = createSlice();
  for (const entry of entries) {
    byName.set(entry.name, entry);
    byKey.set(toolKey(toolIdOf(entry)), entry);
    if (entry.alias !== undefined)
      for (const naming of joinedNamings) byFormerName.set(nameTool({ ...entry, alias: undefined }, naming), entry);
    if (slice.isOver()) await slice.next();
  }
  return { entries, byName, byKey, byFormerName, disabled };
}

/** The same without the tools of a server. */
export function withoutServer({ byName, byKey, byFormerName, ...tools }: NamedTools, server: string): NamedTools {
  const isOther = (entry: CatalogEntry) => entry.server !== server;
  const remains = ([, entry]: [string, CatalogEntry]) => isOther(entry);
  return {
    entries: tools.entries.filter(isOther),
    disabled: tools.disabled.filter(isOther),
    byName: new Map([...byName].filter(remains)),
    byKey: new Map([...byKey].filter(remains)),
    byFormerName: new Map([...byFormerName].filter(remains)),
  };
}

/** The differences between two sets of tools. */
export async function compareTools(
  before: ReadonlyMap<string, CatalogEntry>,
  after: ReadonlyMap<string, CatalogEntry>,
): Promise<CatalogDifference> {
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const slice = createSlice();
  for (const [name, entry] of after) {
    const old = before.get(name);
    if (!old) added.push(name);
    else if (
      old.definitionHash !== entry.definitionHash ||
      old.definition.title !== entry.definition.title ||
      old.definition.description !== entry.definition.description ||
      old.server !== entry.server ||
      old.originalName !== entry.originalName ||
      old.changed !== entry.changed ||
      old.isNew !== entry.isNew
    )
      changed.push(name);
    if (slice.isOver()) await slice.next();
  }
  for (const name of before.keys()) {
    if (!after.has(name)) removed.push(name);
    if (slice.isOver()) await slice.next();
  }
  return { added, changed, removed };
}
