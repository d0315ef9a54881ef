import { readFile } from 'node:fs/promises';
import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { OnPluginFailure, PluginMode } from '../../contract/settings/choices.ts';
import type { Config, ServerSpec } from '../../contract/settings/config.ts';
import { sectionPaths } from '../../contract/settings/native-schema.ts';
import type { PluginEntry, PluginSettings } from '../../contract/settings/plugin-config.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { readSection, usedSections } from '../config/plugin-sections.ts';
import { configError, type Finding, formatPath } from '../config/problems.ts';
import type { Environment } from '../config/references.ts';
import type { SessionPlugins } from '../connections/session.ts';
import type { CallRecord } from '../invocation/call-record.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { Events } from '../kernel/events.ts';
import type { Log } from '../kernel/log.ts';
import type { AskPlugins } from '../policy/approval.ts';
import type { RedactCalls } from '../policy/redaction.ts';
import type { AllowFlow, ChangeArguments, ChangeResult, ReserveCall, ReviewCall } from '../policy/review.ts';
import type { PluginToolSource } from '../servers/local-tools.ts';
import type { ToolboxEvents } from '../servers/toolbox-events.ts';
import type { OpenPluginRecords } from '../storage/ports/record-store.ts';
import { type ActivePlugin, activatePlugin, type HookCounts, hookNames, runInTime } from './active-plugin.ts';
import { createAskPlugins } from './ask-approvers.ts';
import { createChangeArguments, createChangeResult } from './change-calls.ts';
import { copyJson } from './copies.ts';
import { createExportQueue, type ExportQueue } from './export-queue.ts';
import { createIsListed } from './list-tools.ts';
import { checkParts, checkPlugin, loadPlugin, parseSettings } from './load-plugin.ts';
import type {
  CallSummary,
  ExportedEvent,
  ExportedEventName,
  ExportedItem,
  Plugin,
  PluginNotice,
  PluginRequest,
  PluginRoute,
  PluginTools,
  PluginUse,
  ReadHistory,
} from './plugin.ts';
import { createMemoryPluginRecords, openPluginRecords } from './plugin-records.ts';
import { createRedactCalls } from './redact-calls.ts';
import { createReserve } from './reserve-calls.ts';
import { createAllowFlow, createReview } from './review-calls.ts';
import { type AskForAccess, createSessionPlugins, transportsOf } from './session-plugins.ts';

/** A plugin in use. */
export interface PluginInfo {
  readonly name: string;
  /** The package or path of a plugin of the configuration; undefined for one of the program. */
  readonly module?: string;
  /** The feature of the gateway that brings the plugin. */
  readonly feature?: string;
  /** Its parts: the names of its hooks, `tools`, `transport NAME` for each transport, `secrets SCHEME` for each scheme and `records KIND` for each kind of records. */
  readonly parts: readonly string[];
  readonly mode: PluginMode;
  readonly onFailure: OnPluginFailure;
  /** The JSON Schema of its options, where its schema can be converted. */
  readonly settings?: JsonObject;
  /** The hooks that have run. */
  readonly hooks: readonly Readonly<HookCounts>[];
  /** For an exporter: the number of items that it took, and of items dropped because it was too slow or failed. */
  readonly exported?: number;
  readonly dropped?: number;
}

/** A plugin that a feature of the gateway brings. */
export interface FeaturePlugin {
  readonly feature: string;
  readonly plugin: Plugin;
}

export interface PluginSetOptions {
  /** The plugins of the program, before those of the configuration. */
  readonly ofProgram?: readonly (Plugin | PluginUse)[];
  /** The plugins of features, after those of the configuration. */
  readonly ofFeatures?: readonly FeaturePlugin[];
  readonly env: Environment;
  readonly log: Log;
  /** Stores records of plugins; in memory by default. */
  readonly openRecords?: OpenPluginRecords | undefined;
  /** Reads earlier calls; there are none by default. */
  readonly history?: ReadHistory;
  /** The tools of a plugin have changed. */
  readonly onToolsChanged: () => Promise<void>;
  /** A plugin has other hooks: calls `configureAgain` when no other configuration is being prepared. */
  readonly onHooksChanged: (configureAgain: (config: Config) => Promise<void>) => Promise<void>;
  readonly ask: AskForAccess;
}

/** The plugins of a toolbox. */
export interface PluginSet {
  /** Loads the plugins of a configuration beside those in use. Rejects if a plugin cannot be loaded. */
  prepare(loaded: LoadedConfig): Promise<PreparedPlugins>;
  /** Each is undefined if no plugin has the hook, so that calls do not wait for it. */
  change(): ChangeArguments | undefined;
  review(): ReviewCall | undefined;
  reserve(): ReserveCall | undefined;
  result(): ChangeResult | undefined;
  redact(): RedactCalls | undefined;
  isListed(): ReturnType<typeof createIsListed>;
  askPlugins(): AskPlugins | undefined;
  allowFlow(): AllowFlow | undefined;
  readonly ofServers: SessionPlugins;
  /** Tells all plugins that listen, without waiting for them. */
  notify(notice: PluginNotice): void;
  /** Passes an item to all exporters. */
  export(item: () => ExportedItem): void;
  /** The routes of all plugins; the same list until others are in use. */
  routes(): readonly ActiveRoute[];
  list(): readonly PluginInfo[];
  close(): Promise<void>;
}

/** A route of a plugin in use. */
export interface ActiveRoute {
  readonly plugin: string;
  readonly route: PluginRoute;
  /** Runs it within the time limit of the plugin. */
  handle(request: PluginRequest): Promise<JsonObject | undefined>;
}

/** The plugins of a configuration that is not in use yet. */
export interface PreparedPlugins extends PluginToolSource {
  /** Whether a server must be connected again, since a plugin that it uses leaves or comes. */
  replaces(server: ServerSpec): boolean;
  readonly ofServers: SessionPlugins;
  use(): void;
  /** After `use`: closes the plugins that are no longer in use. Never rejects. */
  finish(): Promise<void>;
  /** Instead of `use`: closes the plugins that were loaded. */
  discard(): Promise<void>;
}

interface Used extends ActivePlugin {
  /** The plugin as it was loaded: its hooks can depend on the configuration. */
  readonly base: Plugin;
  /** Uses other hooks of the plugin, with the settings of the operator. */
  readonly activate: (plugin: Plugin) => ActivePlugin;
  /** Equal if the plugin has the same hooks under another configuration. */
  readonly configuredFor?: string;
  /** Undefined for a plugin of the program. */
  readonly entry?: PluginEntry;
  readonly feature?: string;
  /** Equal if the plugin need not be loaded again. */
  readonly key: string;
  readonly queue?: ExportQueue<ExportedItem>;
  readonly summaries?: ExportQueue<CallSummary>;
}

// A map, so that the type requires every name.
const exportedEvents: Readonly<Record<ExportedEventName, true>> = {
  'server.changed': true,
  'catalog.changed': true,
  'tool.flagged': true,
  'content.changed': true,
  'approval.asked': true,
  'approval.answered': true,
  'profiles.changed': true,
  'config.applied': true,
  'config.refused': true,
};

const closeMs = 5_000;

export function createPluginSet(options: PluginSetOptions): PluginSet {
  const { ofProgram = [], ofFeatures = [], env, log, history, onToolsChanged, onHooksChanged, ask } = options;
  const { openRecords = createMemoryPluginRecords() } = options;
  let used: readonly Used[] = [];
  let change: ChangeArguments | undefined;
  let review: ReviewCall | undefined;
  let reserve: ReserveCall | undefined;
  let result: ChangeResult | undefined;
  let redact: RedactCalls | undefined;
  let isListed: ReturnType<typeof createIsListed>;
  let askPlugins: AskPlugins | undefined;
  let allowFlow: AllowFlow | undefined;
  let listeners: readonly Used[] = [];
  let queues: readonly ExportQueue<ExportedItem>[] = [];
  let summaries: readonly ExportQueue<CallSummary>[] = [];
  let routes: readonly ActiveRoute[] = [];

  function use(
    plugin: Plugin,
    settings: unknown,
    added: PluginSettings & Pick<Used, 'key' | 'entry' | 'feature'>,
  ): Used {
    const { key, entry, feature } = added;
    const records = openPluginRecords(plugin, openRecords);
    const activate = (used: Plugin) => activatePlugin(used, added, settings, log, records, history);
    const active = activate(plugin);
    return { ...active, base: plugin, activate, key, entry, feature, ...createQueues(active, log) };
  }

  async function programPlugins(): Promise<readonly Used[]> {
    const ofUser = ofProgram.map((value) => ('plugin' in value ? value : { plugin: value }));
    const all: readonly (PluginUse & { readonly feature?: string })[] = [...ofUser, ...ofFeatures];
    const loading = all.map(async (added, index) => {
      const known = used.find((candidate) => candidate.base === added.plugin);
      if (known) return known;
      try {
        const plugin = checkPlugin(added.plugin, `plugin ${index} of the program`);
        const settings = await parseSettings(plugin, added.options ?? {}, `plugin '${plugin.name}'`);
        return use(plugin, settings, { ...added, key: `program ${index}` });
      } catch (cause) {
        throw new ToolwharfError('CONFIG_INVALID', `Invalid plugin: ${messageOf(cause)}`, { cause });
      }
    });
    return Promise.all(loading);
  }

  /** The plugins of a configuration, and a problem for each that cannot be loaded. */
  async function loadAll(entries: readonly PluginEntry[], problems: Finding[]): Promise<readonly Used[]> {
    const loading = entries.map(async (entry, index) => {
      try {
        const key = hashOf([entry, await contentOf(entry)]);
        const known = used.find((candidate) => candidate.key === key);
        if (known) return known;
        const { plugin, settings } = await loadPlugin(entry, { env, log });
        return use(plugin, settings, { ...entry, key, entry });
      } catch (cause) {
        // The message has the cause already.
        problems.push({ path: ['plugins', index], message: (cause as Error).message });
        return undefined;
      }
    });
    return (await Promise.all(loading)).filter((plugin) => plugin !== undefined);
  }

  async function load(loaded: LoadedConfig): Promise<readonly Used[]> {
    const problems: Finding[] = [];
    const own = await programPlugins();
    const configured = await loadAll(loaded.config.plugins, problems);
    const isOfFeature = ({ feature }: Used) => feature !== undefined;
    const found = [...own.filter((one) => !isOfFeature(one)), ...configured, ...own.filter(isOfFeature)];
    if (problems.length === 0) {
      const pathOf = (plugin: Used) => ['plugins', ...(plugin.entry ? [configured.indexOf(plugin)] : [])];
      problems.push(...duplicateNames(found, pathOf));
      problems.push(...(await checkParts(found, loaded.config.servers, pathOf, { env, log })));
      problems.push(...unusedSections(found, loaded.config));
      const next = await Promise.all(found.map((one) => configure(one, loaded.config, problems)));
      if (problems.length === 0) return next;
    }
    await closeAll(found.filter((plugin) => !isIn(used, plugin)));
    throw toError(loaded, problems);
  }

  async function closeAll(closed: readonly Used[]): Promise<void> {
    await Promise.all(
      closed.map(async ({ plugin, queue, summaries: small }) => {
        await Promise.all([queue?.close(), small?.close()]);
        await runInTime(() => plugin.close?.(), closeMs).catch((cause) => {
          const message = `Plugin '${plugin.name}' could not be closed: ${messageOf(cause)}`;
          log.warning('plugin.not-closed', message, { plugin: plugin.name });
        });
      }),
    );
  }

  function commit(next: readonly Used[]): void {
    const listers = (all: readonly Used[]) => all.filter(({ plugin }) => plugin.list);
    // The same function until others list, so that nobody reads lists again for nothing.
    const [before, after] = [listers(used), listers(next)];
    if (before.length !== after.length || after.some((one, at) => one !== before[at])) isListed = createIsListed(next);
    used = next;
    change = createChangeArguments(next);
    review = createReview(next);
    reserve = createReserve(next);
    result = createChangeResult(next);
    redact = createRedactCalls(next);
    askPlugins = createAskPlugins(next);
    allowFlow = createAllowFlow(next);
    listeners = next.filter(({ plugin }) => plugin.notify);
    queues = next.flatMap(({ queue }) => queue ?? []);
    summaries = next.flatMap(({ summaries: small }) => small ?? []);
    routes = next.flatMap(toActiveRoutes);
  }

  /** Replaces the hooks of a plugin in use by those that it has now. */
  async function configureAgain(base: Plugin, config: Config): Promise<void> {
    const before = used.find((one) => one.base === base);
    if (!before) return;
    const problems: Finding[] = [];
    const after = await configure({ ...before, configuredFor: undefined }, config, problems);
    const [problem] = problems;
    if (problem) throw new ToolwharfError('CONFIG_INVALID', `Plugin '${base.name}': ${problem.message}`);
    commit(used.map((one) => (one === before ? after : one)));
  }

  return {
    async prepare(loaded) {
      const next = await load(loaded);
      const added = next.filter((plugin) => !isIn(used, plugin));
      const left = used.filter((plugin) => !isIn(next, plugin));
      let isUsed = false;
      return {
        async tools(config) {
          const lists = next.map(({ plugin: { tools = [] } }) => {
            if (typeof tools === 'function') return tools(config);
            return isChanging(tools) ? [] : tools;
          });
          return (await Promise.all(lists)).flat();
        },
        changingTools: () => next.flatMap(({ plugin: { tools } }) => (isChanging(tools) ? tools.list() : [])),
        replaces: ({ target }) =>
          target.transport === 'plugin'
            ? transportsOf(left).has(target.name)
            : target.transport === 'stdio' && [...left, ...added].some(({ plugin }) => plugin.launch),
        ofServers: createSessionPlugins(() => (isUsed ? used : next), ask),
        use() {
          isUsed = true;
          commit(next);
          for (const { plugin, base, feature } of added) {
            if (isChanging(plugin.tools)) plugin.tools.subscribe(onToolsChanged);
            base.subscribe?.(() => onHooksChanged((config) => configureAgain(base, config)));
            if (feature === undefined)
              log.info('plugin.loaded', `Plugin '${plugin.name}' is in use`, { plugin: plugin.name });
          }
        },
        finish: () => closeAll(left),
        discard: () => closeAll(added),
      };
    },
    change: () => change,
    review: () => review,
    reserve: () => reserve,
    result: () => result,
    redact: () => redact,
    isListed: () => isListed,
    askPlugins: () => askPlugins,
    allowFlow: () => allowFlow,
    ofServers: createSessionPlugins(() => used, ask),
    notify(notice) {
      for (const active of listeners)
        active
          .run('notify', (context) => active.plugin.notify?.(copyJson(notice), context))
          .catch((cause) => active.fail('notify', cause, { approval: notice.request.id }));
    },
    export(item) {
      if (queues.length === 0 && summaries.length === 0) return;
      const exported = item();
      for (const queue of queues) queue.add(exported);
      if (summaries.length === 0 || exported.type !== 'call') return;
      const summary = toSummary(exported.call);
      for (const queue of summaries) queue.add(summary);
    },
    routes: () => routes,
    // Tools of features are listed like all others.
    list: () =>
      used.map(toInfo).filter(({ feature, parts }) => feature === undefined || parts.some((part) => part !== 'tools')),
    async close() {
      const closed = used;
      commit([]);
      await closeAll(closed);
    },
  };
}

/** The plugin with the hooks that it has under a configuration; the same object if they stay. */
async function configure(one: Used, config: Config, problems: Finding[]): Promise<Used> {
  const { base } = one;
  const { section } = base;
  if (!base.configure) return one;
  const configuredFor = hashOf((section === undefined ? config : readSection(config, section)) ?? null);
  if (one.configuredFor === configuredFor) return one;
  try {
    const hooks = await base.configure(config, (problem) => problems.push(problem));
    checkPlugin({ name: base.name, ...hooks }, `what 'configure' of plugin '${base.name}' returns`);
    return { ...one, ...one.activate(Object.assign(Object.create(base), hooks)), configuredFor };
  } catch (cause) {
    problems.push({ path: section === undefined ? ['plugins'] : [section], message: messageOf(cause), atKey: true });
    return one;
  }
}

/** A section that nobody applies would be ignored in silence. */
function unusedSections(found: readonly Used[], config: Config): readonly Finding[] {
  const unused = usedSections(config).filter((section) => !found.some(({ base }) => base.section === section));
  return unused.map((section) => ({
    path: sectionPaths[section],
    message: `nothing applies '${sectionPaths[section].join('.')}' here: switch on the feature '${section}' of the gateway, or add its plugin to the toolbox`,
    atKey: true,
  }));
}

/** Whether a plugin is in use with these settings, and with any hooks. */
function isIn(list: readonly Used[], { base, key }: Used): boolean {
  return list.some((other) => other.base === base && other.key === key);
}

function toActiveRoutes(active: Used): readonly ActiveRoute[] {
  const { plugin } = active;
  return (plugin.routes ?? []).map((route) => ({
    plugin: plugin.name,
    route,
    async handle(request) {
      try {
        return await active.run('routes', (context) => route.handle(request, context));
      } catch (cause) {
        // An answer with a code is what the plugin wants to say.
        if (!(cause instanceof ToolwharfError))
          active.fail('routes', cause, { route: `${route.method} ${route.path}` });
        throw cause;
      }
    },
  }));
}

function isChanging(tools: Plugin['tools']): tools is PluginTools {
  return typeof tools === 'object' && 'list' in tools;
}

/** The names of the transports that plugins of the program add. */
export function transportNames(plugins: readonly (Plugin | PluginUse)[] = []): readonly string[] {
  return plugins.flatMap((value) => Object.keys(('plugin' in value ? value.plugin : value).transports ?? {}));
}

function createQueues(active: ActivePlugin, log: Log): Pick<Used, 'queue' | 'summaries'> {
  const { name, exporter } = active.plugin;
  if (typeof exporter === 'function') {
    const run = (items: readonly ExportedItem[]) => active.run('exporter', (context) => exporter(items, context));
    return { queue: createExportQueue({ plugin: name, exporter: run, log }) };
  }
  if (!exporter) return {};
  const run = (calls: readonly CallSummary[]) => active.run('exporter', (context) => exporter.export(calls, context));
  return { summaries: createExportQueue({ plugin: name, exporter: run, log, isSmall: true }) };
}

function toSummary(call: CallRecord): CallSummary {
  const { id, kind, server, tool, originalName, caller, status, end, createdAt, startedAt, completedAt } = call;
  const copy = Object.freeze({ ...caller });
  return Object.freeze({
    ...{ id, kind, server, tool, originalName, caller: copy, status, end },
    ...{ createdAt, startedAt, completedAt },
  });
}

/** Passes ended calls and events to the exporters of plugins. */
export function exportEvents(events: Pick<Events<ToolboxEvents>, 'on'>, plugins: Pick<PluginSet, 'export'>): void {
  events.on('call.changed', (call) => {
    if (call.completedAt !== undefined) plugins.export(() => ({ type: 'call', call }));
  });
  for (const name of Object.keys(exportedEvents) as ExportedEventName[]) {
    events.on(name, (event) => {
      const data = 'error' in event ? { message: event.error.message } : event;
      plugins.export(() => ({ type: 'event', name, at: new Date().toISOString(), data }) as ExportedEvent);
    });
  }
}

function toInfo({ plugin, entry, feature, mode, onFailure, counts, queue, summaries }: Used): PluginInfo {
  const { name, transports = {}, secrets = {}, records = {} } = plugin;
  return {
    name,
    module: entry?.module,
    ...(feature !== undefined && { feature }),
    parts: [
      ...shownParts.filter((part) => hasPart(plugin, part)),
      ...Object.keys(transports).map((transport) => `transport ${transport}`),
      ...Object.keys(secrets).map((scheme) => `secrets ${scheme}`),
      ...Object.keys(records).map((kind) => `records ${kind}`),
    ],
    ...{ mode, onFailure },
    settings: settingsSchemaOf(plugin),
    hooks: hookNames.flatMap((hook) => counts.get(hook) ?? []).map((counted) => ({ ...counted })),
    ...(queue ?? summaries)?.counts,
  };
}

function hasPart(plugin: Plugin, part: (typeof shownParts)[number]): boolean {
  const value = plugin[part];
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

const shownParts = [
  'policy',
  'list',
  'launch',
  'change',
  'trace',
  'review',
  'reserve',
  'result',
  'redactor',
  'approver',
  'notify',
  'exporter',
  'tools',
  'routes',
] as const satisfies readonly (keyof Plugin)[];

/** Not every library converts its schemas, and not every schema can be converted. */
function settingsSchemaOf({ settings }: Plugin): JsonObject | undefined {
  try {
    return settings?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  } catch {
    return undefined;
  }
}

/** The content of a module that is a file: a changed file is loaded again. Loading reports a file that cannot be read. */
async function contentOf({ file }: PluginEntry): Promise<string | null> {
  return file === undefined ? null : readFile(file, 'utf8').catch(() => null);
}

/** The journal names an approver by its plugin, so that names must be unique. */
function duplicateNames(used: readonly Used[], pathOf: (plugin: Used) => Finding['path']): readonly Finding[] {
  return used
    .filter(({ plugin }, index) => used.findIndex((other) => other.plugin.name === plugin.name) < index)
    .map((plugin) => ({ path: pathOf(plugin), message: `there is another plugin named '${plugin.plugin.name}'` }));
}

function toError({ toError: ofFile, file }: LoadedConfig, problems: readonly Finding[]): ToolwharfError {
  if (ofFile) return ofFile(problems);
  return configError(
    problems.map(({ path, atKey: _, ...problem }) => ({ ...problem, path: formatPath(path) })),
    file,
  );
}
