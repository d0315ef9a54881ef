import { isForModels } from './catalog/app-tools.ts';
import { type CatalogEntry, createCatalog } from './catalog/catalog.ts';
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
import { createTrafficLogs } from './connections/traffic/traffic-log.ts';
import { createPermits } from './fleet/local/permits.ts';
import { createRateLimiter } from './fleet/local/rate-limiter.ts';
import type { Call } from './invocation/call.ts';
import type { CallRecord } from './invocation/call-record.ts';
import { createFailedCall } from './invocation/failed-call.ts';
import { createInvoker, type InternalStartOptions } from './invocation/invoker.ts';
import { composedLimits, joinStats } from './invocation/permits.ts';
import { createResults } from './invocation/results.ts';
import { createToTool } from './invocation/to-tool.ts';
import { systemClock } from './kernel/clock.ts';
import { messageOf, ToolwharfError } from './kernel/errors.ts';
import { createEvents } from './kernel/events.ts';
import type { JsonObject } from './kernel/json.ts';
import { resolveLog } from './kernel/log.ts';
import type { Tool } from './kernel/tool.ts';
import { type ToolId, toolIdOf, toolKey } from './kernel/tool-id.ts';
import { createPluginSet, exportEvents, transportNames } from './plugins/plugin-set.ts';
import type { ApprovalAnswer, ApprovalRequest } from './policy/approval.ts';
import { createLazyArgumentsChecker } from './policy/lazy-arguments-checker.ts';
import { openAccounts } from './servers/accounts/open-accounts.ts';
import { administerCatalog } from './servers/administer-catalog.ts';
import { applyConfig } from './servers/apply-config.ts';
import { createToolFlags } from './servers/flag-tools.ts';
import { createLocalTools } from './servers/local-tools.ts';
import { logConfigChanges, logConfigRefused, logGoneTools, logTrustProblems } from './servers/log-config-changes.ts';
import { createOpenServer } from './servers/open-server.ts';
import { createRegisterLists } from './servers/register-lists.ts';
import type { ServerNotice } from './servers/server-content.ts';
import { createServerAccess, createServerSet } from './servers/server-set.ts';
import { createToolboxContent } from './servers/toolbox-content.ts';
import type { ToolboxEvents } from './servers/toolbox-events.ts';
import { createToolboxServers } from './servers/toolbox-servers.ts';
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
  const plugins = createPluginSet({ ofProgram: options.plugins, env, log });
  exportEvents(events, plugins);
  const current = createCurrentConfig(configured, (profiles) => events.emit('profiles.changed', { profiles }));
  const settings = () => current.config.toolbox;
  const catalog = createCatalog({
    naming: () => settings().naming,
    servers: () => servers.all().map((connection) => connection.spec),
    toolSettings: () => ({ configs: settings().tools, defaultTool: settings().defaultTool }),
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
    delayMs: options.scanDelayMs,
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
  const scripts = options.scripts?.open({ config: () => current.config, catalog, journal, results, embed, log });
  const onNotice = (notice: ServerNotice) => events.emit('server.notified', notice);
  const accountPorts = { store: createMemoryAccounts(), ...options.accounts };
  const accounts = openAccounts({ ...accountPorts, servers: () => servers, clock, onNotice });
  const callPorts = {
    findConnection: (server: string) => servers.get(server),
    chooseAccount: accounts.chooseAccount,
    settings,
    journal,
    rules,
    approver: options.approver ?? (host.approve && { ask: host.approve }),
    review: plugins.review,
    askPlugins: plugins.askPlugins,
    clock,
    log,
    defaultHost: host,
    onLog: (call: Call, server: string, params: JsonObject) =>
      events.emit('server.notified', { server, method: 'notifications/message', params, callIds: [call.id] }),
    onCall: (record: CallRecord) => events.emit('call.changed', record),
    onAsked: (request: ApprovalRequest) => events.emit('approval.asked', request),
    onAnswered: (request: ApprovalRequest, answer: ApprovalAnswer) =>
      events.emit('approval.answered', { request, answer }),
  };
  const invoker = createInvoker({
    ...callPorts,
    catalog,
    ...{ permits, composedPermits, results, scripts },
    rates: limits.rates,
    checker: createLazyArgumentsChecker(),
    onAccepted: async (entry) => void (await catalog.accept(toolIdOf(entry))),
  });
  const lists = createRegisterLists({
    catalog,
    servers: () => servers,
    registerSkills: (connection) => skills.register(connection),
    events,
    tolerant: options.tolerant ?? false,
  });
  const protocolCache = createProtocolCache();
  const traffic = createTrafficLogs(clock);
  const maxMessageBytes = options.maxMessageBytes ?? 64 * 1024 * 1024;
  const { reachOf, assertAllowed } = createServerAccess({ config: () => current.config, ...options });
  const oauthStore = options.oauth?.store ?? createMemoryOAuthStore();
  const backgroundWork = new Set<Promise<void>>();
  function onBackgroundWork(work: Promise<void>): void {
    backgroundWork.add(work);
    void work.finally(() => backgroundWork.delete(work));
  }
  const openServer = createOpenServer({
    ...{ protocolCache, log, env, clock, healthMs, maxMessageBytes, traffic, store: accountPorts.store },
    oauth: oauthStore,
    openHttp: (store = oauthStore) =>
      createHttpEndpoints({
        ...{ env, log, clock, maxMessageBytes, reachOf, onBackgroundWork },
        oauth: { ...options.oauth, store },
      }),
    openTransport: plugins.openTransport,
    defaultHost: host as RequestHost,
    placements: options.placements,
    onStatus: (server, status, before) => events.emit('server.changed', { server, status, before }),
    onList: lists.useList,
    onNotice,
  });
  const servers = createServerSet({
    open: openServer,
    onRemoved(name) {
      if (!servers.get(name)) traffic.remove(name);
      skills.removeServer(name);
      return catalog.removeServer(name);
    },
    log,
    startWaitMs,
  });
  const { content, api, ...skills } = createToolboxContent({
    ...callPorts,
    servers,
    pins,
    watch: options.watch,
    onSkills: (server) => events.emit('content.changed', { server, kind: 'skills' }),
  });
  const serverNames = () => servers.all().map(({ spec }) => spec.name);

  const loadPlugins = (next: LoadedConfig) => plugins.apply(next, (tools) => localTools.load(next.config, tools));

  async function start(): Promise<void> {
    const { loaded, config } = current;
    const { accepted: locals } = await loadPlugins(loaded);
    await overrides.reload();
    await localTools.use(config, locals);
    await skills.setFolders(config.skills);
    const { connect = true, tolerant = false, signal } = options;
    await servers.start(config.servers.map(assertAllowed), { connect, tolerant, signal });
    await lists.endStart();
    logTrustProblems(config, { servers: serverNames(), locals }, log);
    logGoneTools(config, { connections: servers.all(), locals }, log);
  }

  async function apply(changed: LoadedConfig): Promise<void> {
    const before = current.config;
    const next = changed.config;
    next.servers.forEach(assertAllowed);
    const { accepted: locals, replacedTransports } = await loadPlugins(changed);
    await skills.setFolders(next.skills);
    current.set(changed);
    permits.setLimits(next.toolbox);
    composedPermits.setLimits(composedLimits(next.toolbox));
    await localTools.use(next, locals);
    const applied = await applyConfig(servers, before, next, replacedTransports);
    // Servers that were connected again have registered their tools already.
    const reconnected = new Set([...applied.added, ...applied.changed]);
    await lists.registerAgain(({ spec }) => !reconnected.has(spec.name));
    logTrustProblems(next, { servers: serverNames(), locals }, log);
    logConfigChanges(log, before, next);
    events.emit('config.applied', applied);
  }

  function refuse(error: ToolwharfError): void {
    logConfigRefused(log, error);
    events.emit('config.refused', { error });
  }

  function assertOpen(): void {
    if (closing) throw new ToolwharfError('TOOLBOX_CLOSED', 'The toolbox was closed');
  }

  let watching: AsyncDisposable | undefined;
  let closing: Promise<void> | undefined;
  function startCall(
    tool: string | ToolId | CatalogEntry,
    args: unknown,
    callOptions: InternalStartOptions = {},
  ): Call {
    const entry = typeof tool === 'object' && 'definition' in tool ? tool : catalog.find(tool);
    if (entry && !closing) return invoker.start(entry, args, callOptions);
    const name = entry?.name ?? (typeof tool === 'string' ? tool : toolKey(tool as ToolId));
    return closing
      ? createFailedCall(name, 'TOOLBOX_CLOSED', 'The toolbox was closed', callOptions)
      : createFailedCall(name, 'TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}`, callOptions);
  }
  // By id: a tool that was handed out never becomes another server's tool.
  const toTool = createToTool((entry, args, executeOptions) => startCall(toolIdOf(entry), args, executeOptions).result);
  async function close(): Promise<void> {
    closing ??= (async () => {
      await watching?.[Symbol.asyncDispose]();
      skills.close();
      await servers.close();
      await Promise.all(backgroundWork);
      await scripts?.[Symbol.asyncDispose]();
      await plugins.close();
    })();
    await closing;
  }

  try {
    await start();
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

  let listed: { readonly entries: readonly CatalogEntry[]; readonly tools: readonly Tool[] } = {
    entries: [],
    tools: [],
  };
  return {
    get config() {
      return current.shown;
    },
    setProfiles: current.setProfiles,
    setScripts: localTools.setScripts,
    get loaded() {
      return current.loaded;
    },
    get tools() {
      const { entries } = catalog;
      if (listed.entries !== entries) listed = { entries, tools: entries.filter(isForModels).map(toTool) };
      return listed.tools;
    },
    tool(name) {
      const entry = catalog.find(name);
      return entry && toTool(entry);
    },
    start: startCall,
    call: (tool, args, callOptions) => startCall(tool, args, callOptions).result,
    observeOutput: scripts?.observe,
    runCode: scripts && ((args, callOptions) => startCall(scripts.toolFor(args), args, callOptions).result),
    servers: createToolboxServers({ servers, content, traffic, log, assertAllowed, assertOpen, catalog, toTool }),
    accounts: accounts.api,
    ...api,
    plugins: plugins.list,
    isSecret: results.isSecret,
    runsScripts: scripts !== undefined,
    embed,
    queueRefusals: permits.refusals,
    reloadPins: () => lists.registerAgain(),
    calls: {
      list: (filter) => journal.list(filter),
      find: (id) => invoker.calls.find(id),
      handOver: invoker.handOver,
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
