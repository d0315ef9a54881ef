import { isForModels, mapAppUri, toolAppOf, withoutAppCalls } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { createMatcher } from '../../catalog/match-globs.ts';
import { namePrompt, nameTools } from '../../catalog/name-tools.ts';
import type { ProfileConfig } from '../../config/config.ts';
import { defaultMaxInlineResultBytes } from '../../config/defaults.ts';
import { tasksExtension } from '../../connections/follow-task.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { skillsExtension } from '../../kernel/skill.ts';
import { mapInSlices } from '../../kernel/slices.ts';
import { createMayRead, createVisibility } from '../../policy/visible-tools.ts';
import { codeToolDefinitions, isCodeTool } from '../../scale/code/code-tools.ts';
import { chooseExposure, type Exposure } from '../../scale/exposure.ts';
import { readResultDefinition, readResultName } from '../../scale/references/read-result.ts';
import {
  createToolSearch,
  isSearchTool,
  type SearchableTools,
  searchToolDefinitions,
  type ToolSearch,
} from '../../scale/search/search-tools.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import { type AppUris, createAppUris } from './app-uris.ts';
import { createSkillView, type SkillView } from './skill-view.ts';
import { listResources, type ViewResources } from './view-resources.ts';

/** The tools, resources, prompts and skills that a profile exposes under client-facing names, with a lookup from name to server. */
export interface View extends ViewResources {
  readonly profile: ProfileConfig;
  /** The catalog that the tools are from. */
  readonly entries: readonly CatalogEntry[];
  /** The tools for models. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** All tools for models, in a stable order. */
  readonly tools: readonly JsonObject[];
  /** The tools of `tools/list`: all, or those that search or run the others. */
  readonly listed: readonly JsonObject[];
  /** The tools of `tools/list` for clients that show apps. */
  readonly listedForApps: readonly JsonObject[];
  readonly appTools: AppTools;
  readonly appUris: AppUris;
  readonly exposure: Exposure;
  /** Larger results become references, which `read_result` reads; none if undefined. */
  readonly maxInlineBytes: number | undefined;
  /** The search in these tools, and its input. */
  readonly toolSearch: ToolSearch;
  readonly searchable: SearchableTools;
  readonly prompts: readonly JsonObject[];
  readonly skills: readonly JsonObject[];
  readonly skillView: SkillView;
  /**
   * Finds a tool by its client-facing name, or by `mcp_{server}_{tool}`. Undefined if the tool does not exist or is
   * hidden: clients cannot call tools that are not listed.
   */
  findTool(name: string): CatalogEntry | undefined;
  /**
   * Finds a tool for a client that shows apps. Apps know only the tool names of their own server, so a name that no tool has is
   * looked up among the original names of the tools that apps may call. Undefined if several servers have such a tool.
   */
  findToolForApps(name: string): CatalogEntry | undefined;
  /** True if the profile exposes the tool, under any name. */
  hasTool(tool: CatalogEntry): boolean;
  /** True if the profile exposes the resource, prompt or skill. */
  readonly mayRead: ReturnType<typeof createMayRead>;
  findPrompt(name: string): { readonly server: string; readonly name: string } | undefined;
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
  const { hasServer, hasTool, hasPrompt } = visibility;
  const { entries } = toolbox.catalog;
  const isSame = before?.profile === profile && before.entries === entries;
  const listing = isSame ? before : await listTools(entries, hasTool, profile, toolbox);
  const { tools, byName, listed, listedForApps, appTools, appUris, exposure, maxInlineBytes } = listing;
  const servers = toolbox.servers.list().filter((server) => hasServer(server.name));
  const serverNames = servers.map((server) => server.name);

  const { skills } = toolbox;
  const skillView = createSkillView(skills.entries, visibility, profile.naming);
  const resources = listResources({ offers: toolbox.resources, visibility, servers, appUris, skills, skillView });
  const prompts = new Map(
    toolbox.prompts.list().flatMap((offered) => {
      const original = String(offered.item.name);
      if (!hasPrompt(offered.server, original)) return [];
      return [[namePrompt(offered.server, original, profile.naming, serverNames), { ...offered, original }] as const];
    }),
  );

  const descriptions = new Map(servers.map(({ name, description }) => [name, description]));
  return {
    profile,
    entries,
    tools,
    listed,
    listedForApps,
    appTools,
    appUris,
    exposure,
    maxInlineBytes,
    toolSearch: before?.toolSearch ?? createToolSearch({ embed: toolbox.embed }),
    searchable: {
      byName,
      define(name) {
        const entry = byName.get(name);
        return entry && toListed(name, entry, appUris);
      },
      describeServer: (server) => descriptions.get(server),
    },
    byName,
    ...resources,
    skills: skillView.skills,
    skillView,
    prompts: [...prompts].sort(inOrder).map(([name, { item }]) => ({ ...item, name })),
    findTool(name) {
      const entry = byName.get(name) ?? toolbox.catalog.find(name);
      return entry && hasTool(entry) && isForModels(entry) ? entry : undefined;
    },
    findToolForApps(name) {
      const entry = byName.get(name) ?? appTools.byName.get(name) ?? toolbox.catalog.find(name);
      if (entry) return hasTool(entry) ? entry : undefined;
      const [only, ...others] = appTools.byOriginalName.get(name) ?? [];
      return others.length === 0 ? only : undefined;
    },
    hasTool,
    mayRead: createMayRead(visibility),
    findPrompt(name) {
      const prompt = prompts.get(name);
      return prompt && { server: prompt.server, name: prompt.original };
    },
    servers: servers.filter((server) => server.enabled).length,
    instructions: servers.flatMap(({ name, status: { instructions: text } }) => (text ? { server: name, text } : [])),
    extensions: extensionsOf(
      servers.map(({ status }) => status.capabilities?.extensions),
      skills.entries.some(({ server }) => server === undefined),
    ),
    missing: servers
      .filter((server) => server.enabled && server.status.state !== 'connected')
      .map((server) => ({ server: server.name, reason: server.status.reason ?? server.status.state })),
  };
}

type Listing = Pick<
  View,
  'tools' | 'byName' | 'listed' | 'listedForApps' | 'appTools' | 'appUris' | 'exposure' | 'maxInlineBytes'
>;

async function listTools(
  entries: readonly CatalogEntry[],
  hasTool: View['hasTool'],
  profile: ProfileConfig,
  { runsScripts, isSecret }: Pick<InternalToolbox, 'runsScripts' | 'isSecret'>,
): Promise<Listing> {
  const { naming, alwaysList = [] } = profile;
  const checked = await mapInSlices(entries, (entry) => (hasTool(entry) ? entry : undefined));
  const visible = checked.filter((entry) => entry !== undefined);
  // Entries keep their catalog names, because calls use those.
  const { named } = await nameTools(
    visible.map((entry) => {
      const { server, originalName, suffixed, alias } = entry;
      return { entry, server, originalName, suffixed, alias };
    }),
    naming,
  );
  const all = named.map(({ name, entry }) => [name, entry] as const).sort(inOrder);
  const appUris = createAppUris(visible, naming);
  const appTools = findAppTools(all);
  const sorted = appTools.byName.size === 0 ? all : all.filter(([name]) => !appTools.byName.has(name));
  const define = ([name, entry]: (typeof sorted)[number]) => {
    const listed = toListed(name, entry, appUris);
    return isSecret(entry) ? withoutOutput(listed) : listed;
  };
  const tools = await mapInSlices(sorted, define);
  const exposure = await chooseExposure(profile, tools, runsScripts);
  const isAlwaysListed = createMatcher(alwaysList);
  const always = tools.filter((_, at) => {
    const [name, { server, originalName }] = sorted[at] as (typeof sorted)[number];
    // A tool that has the name of one of our tools can be found and called like the others.
    const isOurs = isSearchTool(name) || isCodeTool(name) || name === readResultName;
    return !isOurs && isAlwaysListed(`${server ?? 'local'}/${originalName}`);
  });
  const byName = new Map(sorted);
  const hides = exposure.expose !== 'all';
  // If all tools are listed, a server's tool with the name of one of ours is called instead of ours.
  const canRefer = hides || !byName.has(readResultName);
  const maxInlineBytes = canRefer
    ? (profile.maxInlineResultBytes ?? (hides ? defaultMaxInlineResultBytes : undefined))
    : undefined;
  const shown = hides ? always : tools;
  // A reference does not have the structure that an output schema promises.
  const readable = maxInlineBytes === undefined ? shown : [readResultDefinition(), ...shown.map(withoutOutput)];
  const ours = exposure.expose === 'code' ? codeToolDefinitions : searchToolDefinitions;
  const listed = hides ? [...ours(), ...readable] : readable;
  const listedForApps = appTools.servers.size === 0 ? listed : listForApps(listed, { byName, appTools, define });
  return { tools, byName, listed, listedForApps, appTools, appUris, exposure, maxInlineBytes };
}

function withoutOutput({ outputSchema: _output, ...definition }: JsonObject): JsonObject {
  return definition;
}

function toListed(name: string, { server, definition }: CatalogEntry, appUris: AppUris): JsonObject {
  const listed: JsonObject = { ...withoutTasks(definition), name };
  return server === undefined ? listed : mapAppUri(listed, (uri) => appUris.toExposed({ server, uri }));
}

/** The definition without the task support of the server: the gateway offers its own for every tool. */
function withoutTasks(definition: JsonObject): JsonObject {
  if (!isObject(definition.execution) || definition.execution.taskSupport === undefined) return definition;
  const { taskSupport: _support, ...execution } = definition.execution;
  return { ...definition, execution };
}

/** Merges the extensions of several servers. The gateway offers tasks itself, and skills without their optional methods. */
function extensionsOf(announced: readonly unknown[], hasLocalSkills: boolean): JsonObject {
  const {
    [tasksExtension]: _tasks,
    [skillsExtension]: skills,
    ...merged
  }: JsonObject = Object.assign({}, ...announced.filter(isObject).reverse());
  return isObject(skills) || hasLocalSkills ? { ...merged, [skillsExtension]: {} } : merged;
}

function inOrder([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The tools of a profile that matter to apps. */
interface AppTools {
  /** The tools that models do not see, by client-facing name. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** The tools that apps may call, of servers that have apps. */
  readonly byOriginalName: ReadonlyMap<string, readonly CatalogEntry[]>;
  /** The servers that have apps. */
  readonly servers: ReadonlySet<string>;
}

type NamedEntry = readonly [name: string, entry: CatalogEntry];

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

interface ListForAppsPorts {
  /** The tools for models. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  readonly appTools: AppTools;
  readonly define: (named: NamedEntry) => JsonObject;
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
