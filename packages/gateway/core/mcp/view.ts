import { isHealthy } from '../../../contract/connections.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { createMatcher } from '../../../contract/match-globs.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { defaultMaxInlineResultBytes } from '../../../contract/settings/defaults.ts';
import { appsExtension, isForModels, mapAppUri } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { namePrompt, nameTools } from '../../../toolwharf/catalog/name-tools.ts';
import { tasksExtension } from '../../../toolwharf/connections/follow-task.ts';
import { readResultDefinition, readResultName } from '../../../toolwharf/features/references/read-result.ts';
import { describeCodeTools, isCodeTool } from '../../../toolwharf/features/scripts/code-tools.ts';
import {
  createToolSearch,
  describeSearchTools,
  isSearchTool,
  type SearchableTools,
  type ToolSearch,
} from '../../../toolwharf/features/search/search-tools.ts';
import type { ListedServer } from '../../../toolwharf/kernel/internal-source.ts';
import { isOwnMember } from '../../../toolwharf/kernel/own-meta.ts';
import { skillsExtension } from '../../../toolwharf/kernel/skill.ts';
import { mapInSlices } from '../../../toolwharf/kernel/slices.ts';
import { createMayRead, createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { chooseExposure, type Exposure } from './exposure.ts';
import { type AppTools, type AppUris, noApps, noSkills, type SkillView, type ViewParts } from './view-parts.ts';
import { listResources, type ViewResources } from './view-resources.ts';

/** The tools, resources, prompts and skills that a profile exposes under client-facing names, with a lookup from name to server. */
export interface View extends ViewResources {
  readonly profile: ProfileConfig;
  /** The catalog that the tools are from. */
  readonly entries: readonly CatalogEntry[];
  /** Changes when plugins show other tools. */
  readonly visibilityVersion: unknown;
  /** The tools for models. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** All tools for models, by server in the order of the configuration, and in the order of each server. */
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
  /** The enabled servers of the profile, as instructions and the search name them. */
  readonly listedServers: readonly ListedServer[];
  /** The number of enabled servers of the profile. */
  readonly servers: number;
  /** The instructions that the servers give to clients. */
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
  /** The protocol extensions that the servers announce, by name. */
  readonly extensions: JsonObject;
  /** The experimental capabilities that the servers announce, by name. */
  readonly experimental: JsonObject;
  /** The enabled servers of the profile that are not connected, with the reason. */
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
}

export interface ViewOptions {
  /** What features add; nothing by default. */
  readonly parts?: ViewParts;
  /** A view from before, which lends its tools if they are the same. */
  readonly before?: View;
  /** The views of other profiles, which lend their index if their tools are the same. */
  readonly others?: readonly View[];
}

/** Creates a view of the current catalog. */
export async function createView(
  toolbox: InternalToolbox,
  profile: ProfileConfig,
  { parts = {}, before, others = [] }: ViewOptions = {},
): Promise<View> {
  const visibility = createVisibility(profile, toolbox.isListed);
  const { hasServer, hasTool, hasPrompt } = visibility;
  const { entries } = toolbox.catalog;
  const { visibilityVersion } = toolbox;
  const isSame =
    before?.profile === profile && before.entries === entries && before.visibilityVersion === visibilityVersion;
  const enabled = toolbox.servers.list().filter(({ name, enabled }) => enabled && hasServer(name));
  const listedServers = toolbox.listServers().filter(({ name }) => hasServer(name));
  const isSameServers = JSON.stringify(before?.listedServers) === JSON.stringify(listedServers);
  const listing =
    isSame && isSameServers ? before : await listTools(entries, hasTool, profile, toolbox, listedServers, parts);
  const { tools, byName, listed, listedForApps, appTools, appUris, exposure, maxInlineBytes } = listing;
  const servers = toolbox.servers.list().filter((server) => hasServer(server.name));
  const serverNames = servers.map((server) => server.name);

  const { skills } = toolbox;
  const personal = new Set(toolbox.accounts.servers().map(({ server }) => server));
  const skillView = (parts.skills ?? noSkills).create(skills.entries, visibility, profile.naming);
  const resources = listResources({
    offers: toolbox.resources,
    owners: toolbox.resourceOwners,
    isPersonal: (server) => personal.has(server),
    visibility,
    servers,
    appUris,
    skills,
    skillView,
  });
  const prompts = new Map(
    toolbox.prompts.list().flatMap((offered) => {
      const original = String(offered.item.name);
      if (!hasPrompt(offered.server, original)) return [];
      return [[namePrompt(offered.server, original, profile.naming, serverNames), { ...offered, original }] as const];
    }),
  );

  const descriptions = new Map(servers.map(({ name, description }) => [name, description]));
  // Profiles with the same tools share one index. A profile whose tools differ from now on gets its own.
  const isTwin = (view: View) =>
    view.profile.naming === profile.naming &&
    hasSameTools(view.byName, byName) &&
    serverNames.every((name) => view.searchable.describeServer(name) === descriptions.get(name));
  const found = [...(before ? [before] : []), ...others].find(isTwin);
  const twin = found && { toolSearch: found.toolSearch, searchable: found.searchable };
  const isShared = !before || others.some(({ toolSearch }) => toolSearch === before.toolSearch);
  return {
    profile,
    entries,
    visibilityVersion,
    tools,
    listed,
    listedForApps,
    appTools,
    appUris,
    exposure,
    maxInlineBytes,
    ...(twin ?? {
      toolSearch: isShared ? createToolSearch({ embed: toolbox.embed }) : before.toolSearch,
      searchable: {
        byName,
        define(name: string) {
          const entry = byName.get(name);
          return entry && toListed(name, entry, appUris);
        },
        describeServer: (server: string) => descriptions.get(server),
      },
    }),
    byName,
    ...resources,
    skills: skillView.skills,
    skillView,
    prompts: [...prompts].map(([name, { item }]) => ({ ...item, name })),
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
    listedServers,
    servers: enabled.length,
    instructions: servers.flatMap(({ name, status: { instructions: text } }) => (text ? { server: name, text } : [])),
    extensions: extensionsOf(
      servers.map(({ status }) => status.capabilities?.extensions),
      { ...parts, hasLocalSkills: skills.entries.some(({ server }) => server === undefined) },
    ),
    experimental: experimentalOf(servers.map(({ status }) => status.capabilities?.experimental)),
    missing: servers
      .filter((server) => server.enabled && !isHealthy(server.status.state))
      .map((server) => ({ server: server.name, reason: server.status.reason ?? server.status.state })),
  };
}

function hasSameTools(one: View['byName'], other: View['byName']): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const [name, entry] of one) if (other.get(name) !== entry) return false;
  return true;
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
  servers: readonly ListedServer[],
  { apps = noApps }: ViewParts,
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
  // In the order of the configuration, and of each server.
  const all = named.map(({ name, entry }) => [name, entry] as const);
  const appUris = apps.createUris(visible, naming);
  const appTools = apps.findTools(all);
  const sorted = all.filter(([, entry]) => isForModels(entry));
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
  const ours = exposure.expose === 'code' ? describeCodeTools : describeSearchTools;
  const listed = hides ? [...ours(servers), ...readable] : readable;
  const listedForApps = appTools.servers.size === 0 ? listed : apps.list(listed, { byName, appTools, define });
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

/** Merges the experimental capabilities of several servers; of two with one name, that of the server that is configured first. */
function experimentalOf(announced: readonly unknown[]): JsonObject {
  const merged: JsonObject = Object.assign({}, ...announced.filter(isObject).reverse());
  return Object.fromEntries(Object.entries(merged).filter(([name, value]) => isObject(value) && !isOwnMember(name)));
}

/**
 * Merges the extensions of several servers. The gateway offers tasks itself, skills without their optional methods, and neither skills
 * nor apps without the features for them.
 */
function extensionsOf(
  announced: readonly unknown[],
  { apps, skills, hasLocalSkills }: ViewParts & { readonly hasLocalSkills: boolean },
): JsonObject {
  const {
    [tasksExtension]: _tasks,
    [skillsExtension]: skillsOfServers,
    [appsExtension]: appsOfServers,
    ...merged
  }: JsonObject = Object.assign({}, ...announced.filter(isObject).reverse());
  return {
    ...merged,
    ...(apps && appsOfServers !== undefined && { [appsExtension]: appsOfServers }),
    ...(skills && (isObject(skillsOfServers) || hasLocalSkills) && { [skillsExtension]: {} }),
  };
}
