import type { JsonObject } from '../../../contract/json.ts';
import { isForModels, toolAppOf, withoutAppCalls } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { AppTools, AppViews, ListForAppsPorts, NamedEntry } from '../../core/mcp/view-parts.ts';
import { createAppUris } from './app-uris.ts';

/** Apps in the view of a profile. */
export const appViews: AppViews = { createUris: createAppUris, findTools: findAppTools, list: listForApps };

function findAppTools(named: readonly NamedEntry[]): AppTools {
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

/**
 * The list for clients that show apps, with the tools that only apps may call. A client cannot know which server an app is from:
 * it takes the gateway for one server. The tools of servers without apps are therefore marked as not for apps.
 */
function listForApps(
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
