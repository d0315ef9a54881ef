import type { CatalogEntry } from '../../catalog/catalog.ts';
import { createMatcher } from '../../catalog/match-globs.ts';
import { namePrompt, nameTools } from '../../catalog/name-tools.ts';
import type { ProfileConfig } from '../../config/config.ts';
import { defaultMaxInlineResultBytes } from '../../config/defaults.ts';
import { tasksExtension } from '../../connections/follow-task.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { mapInSlices } from '../../kernel/slices.ts';
import { createMayRead, createVisibility } from '../../policy/visible-tools.ts';
import { codeToolDefinitions, isCodeTool } from '../../scale/code/code-tools.ts';
import { chooseExposure, type Exposure } from '../../scale/exposure.ts';
import { readResultDefinition } from '../../scale/references/read-result.ts';
import {
  createToolSearch,
  isSearchTool,
  type SearchableTools,
  searchToolDefinitions,
  type ToolSearch,
} from '../../scale/search/search-tools.ts';
import type { Offered } from '../../servers/server-content.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import { matchTemplate } from './uri-template.ts';

/** The tools, resources and prompts that a profile exposes under client-facing names, with a lookup from name to server. */
export interface View {
  readonly profile: ProfileConfig;
  /** The catalog that the tools are from. */
  readonly entries: readonly CatalogEntry[];
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** All tools, in a stable order. */
  readonly tools: readonly JsonObject[];
  /** The tools of `tools/list`: all, or those that search or run the others. */
  readonly listed: readonly JsonObject[];
  readonly exposure: Exposure;
  /** Larger results become references, which `read_result` reads; none if undefined. */
  readonly maxInlineBytes: number | undefined;
  /** The search in these tools, and its input. */
  readonly toolSearch: ToolSearch;
  readonly searchable: SearchableTools;
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /**
   * Finds a tool by its client-facing name, or by `mcp_{server}_{tool}`. Undefined if the tool does not exist or is
   * hidden: clients cannot call tools that are not listed.
   */
  findTool(name: string): CatalogEntry | undefined;
  /** True if the profile exposes the tool, under any name. */
  hasTool(tool: CatalogEntry): boolean;
  /** True if the profile exposes the resource or prompt. */
  readonly mayRead: ReturnType<typeof createMayRead>;
  findPrompt(name: string): { readonly server: string; readonly name: string } | undefined;
  /** The server that serves a resource; undefined if the profile hides the resource. */
  findResource(uri: string): string | undefined;
  findTemplate(uriTemplate: string): string | undefined;
  /** The number of enabled servers of the profile. */
  readonly servers: number;
  /** The instructions that the servers give to clients. */
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
  /** The protocol extensions that the servers announce, by name. */
  readonly extensions: JsonObject;
  /** The enabled servers of the profile that are not connected, with the reason. */
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
}

/** Creates a view of the current catalog. A view from before lends its tools if they are the same. */
export async function createView(toolbox: InternalToolbox, profile: ProfileConfig, before?: View): Promise<View> {
  const visibility = createVisibility(profile);
  const { hasServer, hasTool, hasResource, hasPrompt } = visibility;
  const { entries } = toolbox.catalog;
  const isSame = before?.profile === profile && before.entries === entries;
  const { tools, byName, listed, exposure, maxInlineBytes } = isSame
    ? before
    : await listTools(entries, hasTool, profile, toolbox);
  const servers = toolbox.servers.list().filter((server) => hasServer(server.name));
  const serverNames = servers.map((server) => server.name);

  const resources = uniqueBy(
    toolbox.resources.list().filter(({ server, item }) => hasResource(server, String(item.uri))),
    'uri',
  );
  const templates = uniqueBy(
    toolbox.resources.listTemplates().filter(({ server, item }) => hasResource(server, String(item.uriTemplate))),
    'uriTemplate',
  );
  const prompts = new Map(
    toolbox.prompts.list().flatMap((offered) => {
      const original = String(offered.item.name);
      if (!hasPrompt(offered.server, original)) return [];
      return [[namePrompt(offered.server, original, profile.naming, serverNames), { ...offered, original }] as const];
    }),
  );

  function findServer(uri: string): string | undefined {
    const listed = resources.get(uri)?.server;
    if (listed !== undefined) return listed;
    // All templates, also hidden ones: a profile may show some of a template's resources.
    for (const { server, item } of toolbox.resources.listTemplates())
      if (hasServer(server) && matchTemplate(String(item.uriTemplate), uri)) return server;
    // Servers may serve resources that they do not list. A single candidate is unambiguous.
    const candidates = servers.filter((server) => server.offers.resources || server.offers.resourceTemplates);
    return candidates.length === 1 ? candidates[0]?.name : undefined;
  }

  const descriptions = new Map(servers.map(({ name, description }) => [name, description]));
  return {
    profile,
    entries,
    tools,
    listed,
    exposure,
    maxInlineBytes,
    toolSearch: before?.toolSearch ?? createToolSearch(),
    searchable: {
      byName,
      define(name) {
        const entry = byName.get(name);
        return entry && toListed(name, entry);
      },
      describeServer: (server) => descriptions.get(server),
    },
    byName,
    resources: [...resources.values()].map(({ item }) => item),
    resourceTemplates: [...templates.values()].map(({ item }) => item),
    prompts: [...prompts].sort(inOrder).map(([name, { item }]) => ({ ...item, name })),
    findTool(name) {
      const entry = byName.get(name) ?? toolbox.catalog.find(name);
      return entry && hasTool(entry) ? entry : undefined;
    },
    hasTool,
    mayRead: createMayRead(visibility),
    findPrompt(name) {
      const found = prompts.get(name);
      return found && { server: found.server, name: found.original };
    },
    findResource(uri) {
      const server = findServer(uri);
      return server !== undefined && hasResource(server, uri) ? server : undefined;
    },
    servers: servers.filter((server) => server.enabled).length,
    instructions: servers.flatMap(({ name, status: { instructions: text } }) => (text ? { server: name, text } : [])),
    extensions: extensionsOf(servers.map(({ status }) => status.capabilities?.extensions)),
    findTemplate: (uriTemplate) => templates.get(uriTemplate)?.server,
    missing: servers
      .filter((server) => server.enabled && server.status.state !== 'connected')
      .map((server) => ({ server: server.name, reason: server.status.reason ?? server.status.state })),
  };
}

async function listTools(
  entries: readonly CatalogEntry[],
  hasTool: View['hasTool'],
  profile: ProfileConfig,
  { runsScripts, isSecret }: Pick<InternalToolbox, 'runsScripts' | 'isSecret'>,
): Promise<Pick<View, 'tools' | 'byName' | 'listed' | 'exposure' | 'maxInlineBytes'>> {
  const { naming, alwaysList = [] } = profile;
  const visible = await mapInSlices(entries, (entry) => (hasTool(entry) ? entry : undefined));
  // Entries keep their catalog names, because calls use those.
  const { named } = await nameTools(
    visible.flatMap((entry) => {
      if (!entry) return [];
      const { server, originalName, suffixed, alias } = entry;
      return [{ entry, server, originalName, suffixed, alias }];
    }),
    naming,
  );
  const sorted = named.map(({ name, entry }) => [name, entry] as const).sort(inOrder);
  const tools = await mapInSlices(sorted, ([name, entry]) => {
    const listed = toListed(name, entry);
    return isSecret(entry) ? withoutOutput(listed) : listed;
  });
  const exposure = await chooseExposure(profile, tools, runsScripts);
  const isAlwaysListed = createMatcher(alwaysList);
  const always = tools.filter((_, at) => {
    const [name, { server, originalName }] = sorted[at] as (typeof sorted)[number];
    // A tool that has the name of one of our tools can be found and called like the others.
    const isOurs = isSearchTool(name) || isCodeTool(name) || name === readResultDefinition.name;
    return !isOurs && isAlwaysListed(`${server ?? 'local'}/${originalName}`);
  });
  const ours = exposure.expose === 'code' ? codeToolDefinitions : searchToolDefinitions;
  const byName = new Map(sorted);
  const hides = exposure.expose !== 'all';
  // Where all tools are listed, a tool that is named like ours is the one that is called.
  const canRefer = hides || !byName.has(String(readResultDefinition.name));
  const maxInlineBytes = canRefer
    ? (profile.maxInlineResultBytes ?? (hides ? defaultMaxInlineResultBytes : undefined))
    : undefined;
  const shown = hides ? always : tools;
  // A reference does not have the structure that an output schema promises.
  const readable = maxInlineBytes === undefined ? shown : [readResultDefinition, ...shown.map(withoutOutput)];
  return { tools, byName, listed: hides ? [...ours, ...readable] : readable, exposure, maxInlineBytes };
}

function withoutOutput({ outputSchema: _output, ...definition }: JsonObject): JsonObject {
  return definition;
}

function toListed(name: string, { definition }: CatalogEntry): JsonObject {
  return { ...withoutTasks(definition), name };
}

/** The definition without the task support of the server: the gateway offers its own for every tool. */
function withoutTasks(definition: JsonObject): JsonObject {
  if (!isObject(definition.execution) || definition.execution.taskSupport === undefined) return definition;
  const { taskSupport: _support, ...execution } = definition.execution;
  return { ...definition, execution };
}

/** Merges the extensions of several servers, except for tasks, which the gateway offers itself. */
function extensionsOf(announced: readonly unknown[]): JsonObject {
  const merged = Object.assign({}, ...announced.filter(isObject).reverse());
  return Object.fromEntries(Object.entries(merged).filter(([name]) => name !== tasksExtension));
}

/** Indexes items by one member. If two servers offer the same item, the server that is configured first wins. */
function uniqueBy(offered: readonly Offered[], member: string): Map<string, Offered> {
  const found = new Map<string, Offered>();
  for (const one of offered) {
    const key = String(one.item[member]);
    if (!found.has(key)) found.set(key, one);
  }
  return found;
}

function inOrder([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
