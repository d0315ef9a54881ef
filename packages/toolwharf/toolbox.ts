import { messageOf, ToolwharfError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Config } from '../contract/settings/config.ts';
import { runsOnce } from '../contract/settings/defaults.ts';
import { isForModels } from './catalog/app-tools.ts';
import { type CatalogEntry, createCatalog, type NextCatalog, type UnnamedEntry } from './catalog/catalog.ts';
import { readAcceptedTools } from './catalog/pins.ts';
import type { ToolSettings } from './catalog/register-tools.ts';
import { createStoredOverrides } from './catalog/stored-overrides.ts';
import type { ConfigSource } from './config/config-source.ts';
import { createCurrentConfig } from './config/current-config.ts';
import type { LoadedConfig } from './config/load-config.ts';
import { openConfig } from './config/open-config.ts';
import { watchConfig } from './config/watch-config.ts';
import { createMemoryOAuthStore } from './connections/authentication/oauth-store.ts';
import { createHttpEndpoints } from './connections/http/http-endpoints.ts';
import { createProtocolCache } from './connections/protocol-cache.ts';
import type { RequestHost } from './connections/request-host.ts';
import { createSecretCommands } from './connections/secret-commands.ts';
import { createStartSlots } from './connections/stdio/start-slots.ts';
import { createTrafficLogs } from './connections/traffic/traffic-log.ts';
import { approverOf } from './invocation/ask-approval.ts';
import type { Call } from './invocation/call.ts';
import type { CallRecord } from './invocation/call-record.ts';
import { findOptionProblem, readInput } from './invocation/check-start.ts';
import { createFailedCall } from './invocation/failed-call.ts';
import { createInvoker, type InternalStartOptions } from './invocation/invoker.ts';
import { composedLimits, joinStats } from './invocation/permits.ts';
import { createReadHistory } from './invocation/read-history.ts';
import { redactForModel, redactLoose } from './invocation/redact-call.ts';
import { createResults } from './invocation/results.ts';
import { createToTool } from './invocation/to-tool.ts';
import { systemClock } from './kernel/clock.ts';
import { createEvents } from './kernel/events.ts';
import { resolveLog } from './kernel/log.ts';
import { createMutex } from './kernel/mutex.ts';
import type { Tool } from './kernel/tool.ts';
import { type ToolId, toolIdOf, toolKey } from './kernel/tool-id.ts';
import { abortable, keepProcessAlive } from './kernel/wait.ts';
import { createPermits } from './limits/permits.ts';
import { createRateLimiter } from './limits/rate-limiter.ts';
import { ownPlugins } from './plugins/own-plugins.ts';
import { createPluginSet, exportEvents, transportNames } from './plugins/plugin-set.ts';
import type { ApprovalAnswer, ApprovalRequest } from './policy/approval.ts';
import { createLazyArgumentsChecker } from './policy/lazy-arguments-checker.ts';
import type { IsListed } from './policy/visible-tools.ts';
import { openAccounts } from './servers/accounts/open-accounts.ts';
import { administerCatalog } from './servers/administer-catalog.ts';
import { compareServers } from './servers/apply-config.ts';
import { createToolFlags } from './servers/flag-tools.ts';
import { createLocalTools } from './servers/local-tools.ts';
import {
  findGoneTools,
  logConfigChanges,
  logConfigRefused,
  logGoneTools,
  logTrustProblems,
  offerOf,
} from './servers/log-config-changes.ts';
import { createOpenServer } from './servers/open-server.ts';
import { createRegisterLists, toOffer } from './servers/register-lists.ts';
import { createResourceOwners } from './servers/resource-owners.ts';
import type { ServerNotice } from './servers/server-content.ts';
import { createServerAccess, createServerSet, type PreparedServers } from './servers/server-set.ts';
import { createToolboxContent } from './servers/toolbox-content.ts';
import type { ToolboxEvents } from './servers/toolbox-events.ts';
import { createToolboxServers } from './servers/toolbox-servers.ts';
import { createWaitForTools, explainUnknown } from './servers/wait-for-tools.ts';
import { createMemoryJournal } from './storage/memory/memory-journal.ts';
import {
  createMemoryAccounts,
  createMemoryPins,
  createMemoryRules,
  createMemoryToolOverrides,
} from './storage/memory/memory-stores.ts';
import type { AdministeredToolbox, InternalToolboxOptions, Toolbox, ToolboxOptions } from './toolbox-types.ts';

export type { ToolboxEvents } from './servers/toolbox-events.ts';
export type {
  AdministeredToolbox,
  InternalToolbox,
  InternalToolboxOptions,
  Toolbox,
  ToolboxOptions,
} from './toolbox-types.ts';

/**
 * Opens a toolbox: a configuration file's path, or the same as an object in any dialect; without either
 * `toolwharf.{yaml,yml,json}` of the working directory, else the default servers.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 *
 * await using toolbox = await createToolbox({
 *   servers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
 * });
 * const { text } = await toolbox.call('mcp_everything_get-sum', { a: 2, b: 3 });
 * console.log(text); // The sum of 2 and 3 is 5.
 * ```
 */
export async function createToolbox(source?: ConfigSource, options: ToolboxOptions = {}): Promise<Toolbox> {
  const { env = process.env } = options;
  const log = resolveLog(options.log);
  const transports = transportNames(options.plugins);
  return startToolbox(await openConfig(source, { env, log, transports }), options);
}

/** The same with a configuration that has been read already. */
export async function startToolbox(
  configured: LoadedConfig,
  options: InternalToolboxOptions = {},
): Promise<AdministeredToolbox> {
  const { env = process.env, startWaitMs = 10_000, healthMs = 30_000, embed } = options;
  const log = resolveLog(options.log);
  const {
    host = {},
    journal = createMemoryJournal(),
    pins = createMemoryPins(),
    rules = createMemoryRules(),
  } = options;
  const clock = systemClock;

  const events = createEvents<ToolboxEvents>({
    onListenerError: (cause) => log.error('event.listener-failed', `An event listener failed: ${messageOf(cause)}`),
  });
  for (const [name, listener] of Object.entries(options.listeners ?? {})) events.on(name as never, listener as never);
  const plugins = createPluginSet({
    ofProgram: options.plugins,
    ofFeatures: [...ownPlugins, ...(options.featurePlugins ?? [])],
    openRecords: options.openPluginRecords,
    history: createReadHistory({ journal, findCallers: options.findCallers }),
    ...{ env, log },
    onToolsChanged: () => localTools.refresh(),
    onHooksChanged: (configureAgain) =>
      oneConfiguration(async () => {
        const listedBefore = plugins.isListed();
        await configureAgain(current.config);
        if (plugins.isListed() === listedBefore) return;
        events.emit('profiles.changed', { profiles: current.shown.profiles.map(({ name }) => name) });
      }),
    ask: (server, question, signal) => invoker.askForAccess(server, question, signal),
  });
  exportEvents(events, plugins);
  /** Hooks and servers are prepared for one configuration at a time. */
  const oneConfiguration = createMutex();
  const current = createCurrentConfig(configured, (profiles) => events.emit('profiles.changed', { profiles }));
  const settings = () => current.config.toolbox;
  const withCommands = createSecretCommands({ env, settings: () => settings().secretCommands });
  const catalog = createCatalog({
    naming: () => settings().naming,
    servers: () => servers.all().map((connection) => connection.spec),
    toolSettings: () => toToolSettings(current.shown),
    dialect: () => current.config.dialect,
    pins,
    clock,
    log,
    onChanged: (difference, server) => {
      events.emit('catalog.changed', { ...difference, server });
      void flags.scanChanges(difference);
    },
  });
  const flags = createToolFlags({
    catalog,
    log,
    onFlagged: (flagged) => events.emit('tool.flagged', flagged),
  });
  const overrides = createStoredOverrides({
    catalog,
    store: options.overrides ?? createMemoryToolOverrides(),
    isPlain: () => [settings(), ...current.shown.profiles].some(({ naming }) => naming === 'plain'),
  });
  const localTools = createLocalTools({ catalog, ofProgram: options.tools });
  const { limits = { createPermits, rates: createRateLimiter({ clock }) } } = options;
  const permits = limits.createPermits(settings());
  const composedPermits = limits.createPermits(composedLimits(settings()));
  const results = createResults({ config: () => current.config, findElsewhere: options.findResultElsewhere });
  const waitForTools = createWaitForTools({
    servers: () => servers.all(),
    hasTools: (server) => catalog.entries.some((entry) => entry.server === server),
    waitElsewhere: options.placements?.waitForTools,
  });
  const config = () => current.config;
  const scripts = options.scripts?.open({ config, catalog, journal, results, embed, log, waitForTools });
  /** A message that belongs to no call, as people may see it; undefined if nobody may. */
  const redactMessage = (message: JsonObject) => redactLoose(plugins.redact(), message);
  function onNotice(notice: ServerNotice): void {
    const params = redactMessage(notice.params);
    if (params) events.emit('server.notified', params === notice.params ? notice : { ...notice, params });
  }
  const accountPorts = { store: createMemoryAccounts(), ...options.accounts };
  const accounts = openAccounts({ ...accountPorts, servers: () => servers, clock, onNotice });
  const callPorts = {
    findConnection: (server: string) => servers.get(server),
    chooseAccount: accounts.chooseAccount,
    settings,
    journal,
    rules,
    approver: approverOf(host, options.approver),
    change: plugins.change,
    review: plugins.review,
    reserve: plugins.reserve,
    findPerson: options.findPerson,
    changeResult: plugins.result,
    redact: plugins.redact,
    askPlugins: plugins.askPlugins,
    allowFlow: plugins.allowFlow,
    clock,
    log,
    defaultHost: host,
    onLog: (call: Call, server: string, params: JsonObject) =>
      events.emit('server.notified', { server, method: 'notifications/message', params, callIds: [call.id] }),
    onCall: (record: CallRecord) => events.emit('call.changed', record),
    onAsked(request: ApprovalRequest) {
      events.emit('approval.asked', request);
      plugins.notify({ type: 'approval.waiting', request });
    },
    onAnswered(request: ApprovalRequest, answer: ApprovalAnswer, isExpired: boolean) {
      events.emit('approval.answered', { request, answer });
      plugins.notify(
        isExpired ? { type: 'approval.expired', request } : { type: 'approval.answered', request, answer },
      );
    },
  };
  const invoker = createInvoker({
    ...callPorts,
    catalog,
    ...{ permits, composedPermits, results, scripts, waitForTools },
    isListed: () => (plugins.isListed() || settings().newTools === 'hide' ? (entry) => isListed(entry) : undefined),
    rates: limits.rates,
    argumentLimits: options.argumentLimits,
    checker: createLazyArgumentsChecker(),
    onAccepted: async (entry) => void (await catalog.accept(toolIdOf(entry))),
  });
  const resourceOwners = createResourceOwners({ store: options.resourceOwners, clock, log });
  const lists = createRegisterLists({
    catalog,
    servers: () => servers,
    registerSkills: (connection) => skills.register(connection),
    owners: resourceOwners,
    events,
    log,
    tolerant: options.tolerant ?? false,
  });
  const protocolCache = createProtocolCache();
  const traffic = createTrafficLogs(clock, undefined, (message) => redactMessage(message) ?? { withheld: true });
  const maxMessageBytes = options.maxMessageBytes ?? 64 * 1024 * 1024;
  const { reachOf, assertAllowed } = createServerAccess({ config: () => current.config, ...options });
  const oauthStore = options.oauth?.store ?? createMemoryOAuthStore();
  const backgroundWork = new Set<Promise<void>>();
  function onBackgroundWork(work: Promise<void>): void {
    backgroundWork.add(work);
    work.catch(() => {}).finally(() => backgroundWork.delete(work));
  }
  const { open, reportStatus } = createOpenServer({
    ...{ protocolCache, log, env, clock, healthMs, maxMessageBytes, traffic, store: accountPorts.store },
    oauth: oauthStore,
    openHttp: (store = oauthStore) =>
      createHttpEndpoints({
        ...{ env, log, clock, maxMessageBytes, reachOf, onBackgroundWork },
        oauth: { ...options.oauth, store },
      }),
    starts: createStartSlots(() => settings().maxStarting),
    plugins: withCommands(plugins.ofServers),
    defaultHost: host as RequestHost,
    placements: options.placements,
    isSilent: (connection) => servers.isSilent(connection),
    onStatus(server, status, before) {
      lists.handleStatus(server, status);
      events.emit('server.changed', { server, status, before });
    },
    onList: lists.useList,
    onNotice,
  });
  /** A server left the set, or another one took its place. */
  function forgetServer(name: string): void {
    if (!servers.get(name)) {
      traffic.remove(name);
      resourceOwners.release(name);
    }
    skills.removeServer(name);
  }
  const servers = createServerSet({
    open,
    canRunTwice: (spec) => !runsOnce(spec) || !options.placements,
    async onUsed(connection) {
      reportStatus(connection);
      await lists.useAll(connection);
    },
    onRemoved(name) {
      forgetServer(name);
      return catalog.removeServer(name);
    },
    callsEnded: (name) => Promise.all(runningCallsOf(name).map(({ result }) => result)),
    acceptedTools: async (spec) => (await readAcceptedTools(pins, spec)).map((tool) => ({ ...tool })),
    log,
    startWaitMs,
  });
  const { content, complete, api, ...skills } = createToolboxContent({
    ...callPorts,
    start: startCall,
    servers,
    pins,
    watch: options.watch,
    onSkills: (server) => events.emit('content.changed', { server, kind: 'skills' }),
  });
  const runningCallsOf = (name: string) =>
    invoker.calls.list().filter(({ record, state }) => record.server === name && record.startedAt && state !== 'ended');
  const serverNames = () => servers.all().map(({ spec }) => spec.name);

  /** Loads what a configuration needs besides its servers. If a part cannot be loaded, the others are closed again. */
  async function prepareParts(next: LoadedConfig) {
    const nextPlugins = await plugins.prepare(next);
    try {
      const locals = await localTools.prepare(next.config, nextPlugins);
      return { plugins: nextPlugins, locals, folders: await skills.prepareFolders(next.config.skills) };
    } catch (cause) {
      await nextPlugins.discard();
      throw cause;
    }
  }

  let locals: readonly UnnamedEntry[] = [];
  const { connect = true, tolerant = false, signal, stopWaiting } = options;

  async function start(): Promise<void> {
    const { loaded, config } = current;
    const parts = await prepareParts(loaded);
    parts.plugins.use();
    parts.locals.use();
    parts.folders.use();
    locals = parts.locals.tools;
    await overrides.reload();
    await catalog.setLocal(parts.locals.all());
    await resourceOwners.load();
    await servers.start(config.servers.map(assertAllowed), { connect, tolerant, signal, stopWaiting });
    await lists.endStart();
    logTrustProblems(config, { servers: serverNames(), locals }, log);
    logGoneTools(findGoneTools(config, { connections: servers.all(), locals }), log);
  }

  /**
   * Replaces the configuration by another one. Whatever can fail happens beside the running state. Then everything changes in one
   * synchronous step, or nothing does and the promise rejects.
   */
  async function apply(changed: LoadedConfig, ending: AbortSignal): Promise<void> {
    const before = current.config;
    const preparing = oneConfiguration(() => prepareAndSwitch(changed, ending));
    switching = preparing.catch(() => {});
    const { parts, nextServers, applied, profiles, goneBefore } = await preparing;
    if (profiles.length > 0) events.emit('profiles.changed', { profiles });
    parts.folders.announce();
    const left = nextServers.left().map(offerOf);
    await nextServers.finish(ending);
    await parts.plugins.finish();
    const { config } = changed;
    logTrustProblems(config, { servers: serverNames(), locals }, log);
    logConfigChanges(log, before, config);
    const goneNow = findGoneTools(config, { connections: servers.all(), locals, left });
    logGoneTools(
      goneNow.filter(({ message }) => !goneBefore.has(message)),
      log,
    );
    events.emit('config.applied', applied);
  }

  async function prepareAndSwitch(changed: LoadedConfig, ending: AbortSignal) {
    const { config: next } = changed;
    next.servers.forEach(assertAllowed);
    await options.assertUsable?.(changed);
    const parts = await prepareParts(changed);
    let nextServers: PreparedServers | undefined;
    try {
      const { applied, put } = compareServers(current.config, next, parts.plugins.replaces);
      nextServers = await servers.prepare(
        { removed: applied.removed, put },
        { plugins: withCommands(parts.plugins.ofServers), tolerant, signal: ending },
      );
      return { parts, nextServers, applied, ...(await switchTo(changed, parts, nextServers, ending)) };
    } catch (cause) {
      await nextServers?.discard();
      await parts.plugins.discard();
      for (const { name } of next.servers) if (!servers.get(name)) traffic.remove(name);
      throw cause;
    }
  }

  async function switchTo(
    changed: LoadedConfig,
    parts: Awaited<ReturnType<typeof prepareParts>>,
    nextServers: PreparedServers,
    ending: AbortSignal,
  ) {
    const { toolbox, dialect } = changed.config;
    const { naming } = toolbox;
    const nextProfiles = [...changed.config.profiles, ...current.shown.profiles];
    current.check(changed);
    parts.locals.all();
    const gone = findGoneTools(current.config, { connections: servers.all(), locals });
    let profiles: readonly string[] = [];
    const next: NextCatalog = {
      ...{ naming, dialect, tolerant, toolSettings: toToolSettings({ toolbox, profiles: nextProfiles }) },
      servers: () =>
        nextServers.next().map((connection) => ({ ...toOffer(connection), isNew: nextServers.isNew(connection) })),
      locals: parts.locals.all,
    };
    // Nothing in it can fail but the first two.
    function commit(): void {
      ending.throwIfAborted();
      const listedBefore = plugins.isListed();
      profiles = current.set(changed);
      permits.setLimits(toolbox);
      composedPermits.setLimits(composedLimits(toolbox));
      parts.plugins.use();
      // Plugins show other tools now, in any profile.
      if (plugins.isListed() !== listedBefore) profiles = current.shown.profiles.map(({ name }) => name);
      parts.locals.use();
      parts.folders.use();
      locals = parts.locals.tools;
      nextServers.use();
      for (const { spec } of nextServers.left()) forgetServer(spec.name);
    }
    await catalog.reconfigure(next, commit);
    return { profiles, goneBefore: new Set(gone.map(({ message }) => message)) };
  }

  function refuse(error: ToolwharfError): void {
    logConfigRefused(log, error);
    events.emit('config.refused', { error });
  }

  function assertOpen(): void {
    if (closing) throw new ToolwharfError('TOOLBOX_CLOSED', 'The toolbox was closed');
  }

  let watching: AsyncDisposable | undefined;
  /** The reload that is being prepared, or the one before. */
  let switching: Promise<unknown> | undefined;
  let closing: Promise<void> | undefined;
  function startCall(tool: string | ToolId | CatalogEntry, args: unknown, callOptions?: InternalStartOptions): Call {
    const problem = findOptionProblem(callOptions);
    if (problem) return createFailedCall(nameOf(tool), 'REQUEST_INVALID', `The call was not made: ${problem}`);
    const entry = findEntry(tool);
    try {
      if (entry && !closing) return invoker.start(entry, args, callOptions);
    } catch (cause) {
      // A getter or a proxy of the program failed when it was read again.
      return createFailedCall(nameOf(tool), 'REQUEST_INVALID', `The call was not made: ${messageOf(cause)}`);
    }
    const name = entry?.name ?? nameOf(tool);
    // A caller with a policy may not know every server.
    const why = callOptions?.policy ? '' : explainMissing(name);
    return closing
      ? createFailedCall(name, 'TOOLBOX_CLOSED', 'The toolbox was closed', callOptions)
      : createFailedCall(name, 'TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}${why}`, callOptions);
  }

  function explainMissing(tool: string): string {
    const down = servers.all().filter(({ status }) => status.state === 'error');
    return explainUnknown(
      tool,
      down.map(({ spec, status }) => ({ server: spec.name, reason: status.reason })),
    );
  }

  /** Tries the servers that may have a tool which is not known yet. Undefined if there are none. */
  function waitFor(tool: unknown, callOptions: InternalStartOptions | undefined): Promise<void> | undefined {
    if (closing || findEntry(tool) || findOptionProblem(callOptions)) return undefined;
    const waiting = waitForTools(nameOf(tool));
    return waiting && abortable(waiting, callOptions?.signal).catch(() => {});
  }

  /** Programs may be untyped: anything but a tool, a name or an id finds nothing. */
  function findEntry(tool: unknown): CatalogEntry | undefined {
    if (typeof tool === 'string') return catalog.find(tool);
    try {
      if (!isObject(tool)) return undefined;
      const isEntry = isObject(tool.definition) && typeof tool.definitionHash === 'string';
      return isEntry ? (tool as unknown as CatalogEntry) : catalog.find(tool as unknown as ToolId);
    } catch {
      return undefined;
    }
  }
  // By id: a tool that was handed out never becomes another server's tool.
  const toTool = createToTool((entry, args, executeOptions) => startCall(toolIdOf(entry), args, executeOptions).result);
  async function close(): Promise<void> {
    closing ??= (async () => {
      await watching?.[Symbol.asyncDispose]();
      await switching;
      skills.close();
      await servers.close();
      await Promise.allSettled(backgroundWork);
      await resourceOwners.flush();
      await scripts?.[Symbol.asyncDispose]();
      await plugins.close();
    })();
    await keepProcessAlive(closing);
  }

  try {
    await keepProcessAlive(start());
    if (options.watch && configured.file !== undefined) {
      watching = await watchConfig(configured.file, {
        env,
        log,
        since: configured,
        transports: transportNames(options.plugins),
        onChange: apply,
        onError: refuse,
      });
    }
  } catch (cause) {
    await close();
    throw cause;
  }

  let listed: {
    readonly entries: readonly CatalogEntry[];
    readonly by?: unknown;
    readonly profile?: string;
    readonly hidesNew?: boolean;
    readonly tools: readonly Tool[];
  } = { entries: [], tools: [] };

  function toolsOf(profile?: string): readonly Tool[] {
    const { entries } = catalog;
    const by = plugins.isListed();
    const hidesNew = hidesNewTools(profile);
    const isSameViewer = listed.by === by && (!by || listed.profile === profile) && listed.hidesNew === hidesNew;
    if (listed.entries === entries && isSameViewer) return listed.tools;
    const isShown = (entry: CatalogEntry) =>
      isForModels(entry) && !(hidesNew && entry.isNew) && (!by || by(entry, profile));
    listed = { entries, by, profile, hidesNew, tools: entries.filter(isShown).map(toTool) };
    return listed.tools;
  }

  function isListed(tool: Parameters<IsListed>[0], profile?: string): boolean {
    const byPlugins = plugins.isListed();
    const hidesNew = hidesNewTools(profile);
    if (!byPlugins && !hidesNew) return true;
    const { server, originalName } = tool;
    const entry = 'definition' in tool ? (tool as CatalogEntry) : catalog.find({ server, tool: originalName });
    return !entry || (!(hidesNew && entry.isNew) && (!byPlugins || byPlugins(entry, profile)));
  }

  /** Profiles have their own setting. */
  function hidesNewTools(profile: string | undefined): boolean {
    return profile === undefined && settings().newTools === 'hide';
  }

  return {
    get config() {
      return current.shown;
    },
    setProfiles: current.setProfiles,
    get loaded() {
      return current.loaded;
    },
    get tools() {
      return toolsOf();
    },
    toolsOf,
    tool(name) {
      const entry = catalog.find(name);
      return entry && isListed(entry) ? toTool(entry) : undefined;
    },
    start: startCall,
    call(tool, args, callOptions) {
      const start = () => startCall(tool, args, callOptions).result;
      return waitFor(tool, callOptions)?.then(start) ?? start();
    },
    waitForTools,
    observeOutput: scripts?.observe,
    listServers: () =>
      servers
        .all()
        .flatMap(({ spec: { name, enabled, description } }) => (enabled ? { name, purpose: description } : [])),
    runCode:
      scripts && ((args, callOptions) => startCall(scripts.toolFor(readInput(args).input), args, callOptions).result),
    servers: createToolboxServers({
      servers,
      content,
      complete,
      traffic,
      log,
      assertAllowed,
      assertOpen,
      catalog,
      toTool,
    }),
    accounts: accounts.api,
    resourceOwners,
    ...api,
    plugins: plugins.list,
    pluginRoutes: plugins.routes,
    isListed,
    get visibilityVersion() {
      return plugins.isListed();
    },
    redactForModel: (call, value) => redactForModel(call, value, plugins.redact()),
    isSecret: results.isSecret,
    runsScripts: scripts !== undefined,
    embed,
    queueRefusals: permits.refusals,
    reloadPins: () => lists.registerAgain(),
    calls: {
      list: (filter) => journal.list(filter),
      find: (id) => invoker.calls.find(id),
      handOver: invoker.handOver,
      ended: invoker.ended,
      stats: () => joinStats(permits.stats(), composedPermits.stats()),
      readResult: (id, offset = 0, length = 100_000) => results.store.page(id, offset, length),
      results: { add: results.store.add, find: results.find, findHere: results.store.find },
    },
    approvals: {
      rules: () => rules.list(),
      revokeRule: (id) => rules.remove(id),
      pins: () => pins.list(),
      acceptChange: (tool) => catalog.accept(tool),
    },
    catalog: administerCatalog(catalog, flags, overrides),
    on: events.on,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The settings that decide which tools are registered, and whether new ones wait. */
function toToolSettings({ toolbox, profiles }: Pick<Config, 'toolbox' | 'profiles'>): ToolSettings {
  const { tools: configs, defaultTool } = toolbox;
  const reviewsNewTools = [toolbox, ...profiles].some(({ newTools }) => newTools === 'hide');
  return { configs, defaultTool, reviewsNewTools };
}

/** The name of a tool in messages, whatever the program passed. */
function nameOf(tool: unknown): string {
  if (typeof tool === 'string') return tool;
  try {
    const { server, tool: name } = isObject(tool) ? tool : {};
    if (typeof name === 'string')
      return toolKey({ server: typeof server === 'string' ? server : undefined, tool: name });
  } catch {
    // A getter or a proxy of the program failed.
  }
  return `a value of type ${tool === null ? 'null' : typeof tool}; pass a name or { server, tool }`;
}
