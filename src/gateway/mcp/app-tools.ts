import { isForModels, toolAppOf, withoutAppCalls } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** The tools of a profile that matter to apps. */
export interface AppTools {
  /** The tools that models do not see, by client-facing name. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** The tools that apps may call, of servers that have apps. */
  readonly byOriginalName: ReadonlyMap<string, readonly CatalogEntry[]>;
  /** The servers that have apps. */
  readonly servers: ReadonlySet<string>;
}

type NamedEntry = readonly [name: string, entry: CatalogEntry];

export function findAppTools(named: readonly NamedEntry[]): AppTools {
  const servers = new Set<string>();
  for (const [, { server, definition }] of named)
    if (server !== undefined && toolAppOf(definition).resourceUri !== undefined) servers.add(server);
  const byOriginalName = new Map<string, CatalogEntry[]>();
  for (const [, entry] of named) {
    if (entry.server === undefined || !servers.has(entry.server) || !toolAppOf(entry.definition).isForApp) continue;
    const sharing = byOriginalName.get(entry.originalName) ?? [];
    byOriginalName.set(entry.originalName, [...sharing, entry]);
  }
  return {
    byName: new Map(named.filter(([, entry]) => !isForModels(entry))),
    byOriginalName,
    servers,
  };
}

export interface ListForAppsPorts {
  /** The tools for models. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  readonly appTools: AppTools;
  readonly define: (named: NamedEntry) => JsonObject;
}

/**
 * The list for clients that show apps, with the tools that only apps may call. A client cannot know which server an app is from:
 * it takes the gateway for one server. The tools of servers without apps are therefore marked as not for apps.
 */
export function listForApps(
  listed: readonly JsonObject[],
  { byName, appTools, define }: ListForAppsPorts,
): readonly JsonObject[] {
  const { servers } = appTools;
  const forModels = listed.map((tool) => {
    const server = byName.get(String(tool.name))?.server;
    return server !== undefined && servers.has(server) ? tool : withoutAppCalls(tool);
  });
  return [...forModels, ...[...appTools.byName].map(define)];
}
