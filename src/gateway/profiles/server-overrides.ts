import type { AdministeredToolbox } from '../../toolbox.ts';

type Catalog = Pick<AdministeredToolbox['catalog'], 'overrides' | 'override'>;

/** Gives a server's overrides to its new name, before its tools are listed under it: a tool that is off stays off. */
export async function copyOverrides(catalog: Catalog, from: string, to: string): Promise<void> {
  const own = [...catalog.overrides.values()].filter(({ server }) => server === from);
  if (own.length > 0) await catalog.override(own.map((override) => ({ ...override, server: to })));
}

/** Removes the overrides of a server that was removed. */
export async function clearOverrides(catalog: Catalog, server: string): Promise<void> {
  const own = [...catalog.overrides.values()].filter((override) => override.server === server);
  if (own.length > 0) await catalog.override(own.map(({ tool }) => ({ server, tool, enabled: true })));
}
