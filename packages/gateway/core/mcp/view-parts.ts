import type { JsonObject } from '../../../contract/json.ts';
import type { Naming } from '../../../contract/settings/choices.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { SkillEntry } from '../../../toolwharf/catalog/skill-entry.ts';
import type { Visibility } from '../../../toolwharf/policy/visible-tools.ts';

/** What features add to the view of a profile. */
export interface ViewParts {
  /** Without it, `ui://` resources are resources like others. */
  readonly apps?: AppViews;
  /** Without it, skills and their files are not shown. */
  readonly skills?: SkillViews;
}

/** A resource under the URI that its server gave it. */
export interface ServerResource {
  readonly server: string;
  readonly uri: string;
}

/** The tools and resources of apps in a view. */
export interface AppViews {
  createUris(entries: Iterable<CatalogEntry>, naming: Naming): AppUris;
  findTools(named: readonly NamedEntry[]): AppTools;
  /** The list for clients that show apps. */
  list(listed: readonly JsonObject[], ports: ListForAppsPorts): readonly JsonObject[];
}

export type NamedEntry = readonly [name: string, entry: CatalogEntry];

/** The client-facing URIs of apps. */
export interface AppUris {
  /** True if the URI is that of an app. */
  isApp(uri: string): boolean;
  toExposed(resource: ServerResource): string;
  /** The resource that clients read under an exposed URI; undefined for a URI that is not a tool's app. */
  find(exposed: string): ServerResource | undefined;
  /** Like `find`, also for apps that no tool names. */
  parse(exposed: string, hasServer: (server: string) => boolean): ServerResource | undefined;
}

/** The tools of a profile that matter to apps. */
export interface AppTools {
  /** The tools that models do not see, by client-facing name. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  /** The tools that apps may call, of servers that have apps. */
  readonly byOriginalName: ReadonlyMap<string, readonly CatalogEntry[]>;
  /** The servers that have apps. */
  readonly servers: ReadonlySet<string>;
}

export interface ListForAppsPorts {
  /** The tools for models. */
  readonly byName: ReadonlyMap<string, CatalogEntry>;
  readonly appTools: AppTools;
  readonly define: (named: NamedEntry) => JsonObject;
}

export const noApps: AppViews = {
  createUris: () => noAppUris,
  findTools: () => noAppTools,
  list: (listed) => listed,
};

const noAppUris: AppUris = {
  isApp: () => false,
  toExposed: ({ uri }) => uri,
  find: () => undefined,
  parse: () => undefined,
};

const noAppTools: AppTools = { byName: new Map(), byOriginalName: new Map(), servers: new Set() };

/** Creates the skills of a view. */
export interface SkillViews {
  create(entries: readonly SkillEntry[], visibility: Pick<Visibility, 'hasSkill'>, naming: Naming): SkillView;
}

/** A file of a skill as its server knows it. Without a server, it is in a local folder. */
export interface SkillFileId {
  readonly server: string | undefined;
  readonly uri: string;
}

/** The skills that a profile exposes under client-facing URIs, with a lookup from URI to server. */
export interface SkillView {
  readonly skills: readonly JsonObject[];
  /** By the client-facing URI of the `SKILL.md`. */
  find(uri: string): JsonObject | undefined;
  /** The file with this client-facing URI; undefined if the profile hides its skill, or the skill does not list it. */
  findFile(uri: string): SkillFileId | undefined;
  /** The client-facing URI of a server's file; undefined if it is in no skill that the profile shows. */
  exposedUri(server: string, uri: string): string | undefined;
}

const noSkillView: SkillView = {
  skills: [],
  find: () => undefined,
  findFile: () => undefined,
  exposedUri: () => undefined,
};

export const noSkills: SkillViews = { create: () => noSkillView };
