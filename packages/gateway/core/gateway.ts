import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { promisify } from 'node:util';
import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { Config } from '../../contract/settings/config.ts';
import type { GatewayConfig, GatewayLimits } from '../../contract/settings/gateway-config.ts';
import type { ConfigSource } from '../../toolwharf/config/config-source.ts';
import type { LoadedConfig } from '../../toolwharf/config/loaded-config.ts';
import { openConfig } from '../../toolwharf/config/open-config.ts';
import { configError, problemLine } from '../../toolwharf/config/problems.ts';
import { isHeld } from '../../toolwharf/invocation/journal.ts';
import type { Log } from '../../toolwharf/kernel/log.ts';
import type { Caller } from '../../toolwharf/kernel/tool.ts';
import type { KeyStore } from '../../toolwharf/storage/ports/key-store.ts';
import type { Storage } from '../../toolwharf/storage/storage.ts';
import { type AdministeredToolbox, type InternalToolboxOptions, startToolbox } from '../../toolwharf/toolbox.ts';
import type { AdmitPorts } from './auth/admit-caller.ts';
import { createAppSessions } from './auth/app-sessions.ts';
import { createEndedSessions } from './auth/ended-sessions.ts';
import { type Authenticate, localCallerId } from './auth/identity.ts';
import { oauthReturnUrl } from './auth/oauth-return.ts';
import { createOpenRequests } from './auth/open-requests.ts';
import { createOwnership } from './auth/ownership.ts';
import { createPersons } from './auth/persons.ts';
import { noSignIn } from './auth/sign-in.ts';
import { createAppHosts } from './calls/app-hosts.ts';
import { createPendingQuestions } from './calls/pending-questions.ts';
import { resumeCalls } from './calls/resume-calls.ts';
import { createStoredApprover, type PendingLimits } from './calls/stored-approver.ts';
import { noTraces } from './calls/traces.ts';
import { chooseFeatures } from './choose-features.ts';
import type { StdioProgram } from './clients/mcp-clients.ts';
import { type Feature, gatherMcpParts, startFeatures } from './feature.ts';
import type { GatewayParts, RouteParts, Routes } from './gateway-parts.ts';
import { noFrames } from './http/frames.ts';
import { createGuard, isLoopback } from './http/guard.ts';
import { createLimits } from './http/limits/limits.ts';
import { listen, ownHostNames, timeoutsFor, toUrlHost } from './http/listen.ts';
import { createListener } from './http/listener.ts';
import { createTlsServer } from './http/tls-server.ts';
import { createWeb } from './http/web/serve-web.ts';
import { questionsNeedCall } from './mcp/client-host.ts';
import { createMcpEndpoint } from './mcp/endpoint.ts';
import { searchProfile } from './mcp/search-profile.ts';
import { noFleet } from './replicas/fleet.ts';
import { followChanges } from './replicas/follow-changes.ts';
import { keepReads } from './replicas/kept-reads.ts';
import type { Replicas, ReplicasPorts } from './replicas/replicas.ts';
import { findResultElsewhere, shareCalls } from './replicas/shared-calls.ts';
import { shareQuestions } from './replicas/shared-questions.ts';
import { createRoutes } from './rest/create-routes.ts';
import { ownersSubject } from './storage/audit/tracked-state.ts';

export interface GatewayOptions extends Pick<InternalToolboxOptions, 'env' | 'tools' | 'signal' | 'watch' | 'spawn'> {
  readonly storage: Storage;
  readonly log: Log;
  /** 32 bytes that encrypt session ids. All replicas use the same key, and it survives restarts. */
  readonly sessionKey: Buffer;
  /** Overrides the configuration. */
  readonly host?: string;
  /** Overrides the configuration. */
  readonly port?: number;
  /** The time limit for a client to send a whole request; 120 000 by default. */
  readonly requestTimeoutMs?: number;
  /** Authenticates the administrator; see `openAdminToken`. */
  readonly adminToken?: string;
  /** The file that contains the admin token. The app shows its path to users on this machine. */
  readonly adminTokenFile?: string;
  /** The command with which stdio clients connect to this toolbox. */
  readonly stdioProgram?: StdioProgram;
  /** How a person on this machine runs the command line. Default: `toolwharf`. */
  readonly command?: string;
  /** Whether other processes can connect; true. Without it, only `connect` reaches the gateway, and `host` and `port` are not used. */
  readonly listens?: boolean;
  /** Connects the servers, and prepares what a first use needs; true. Otherwise the gateway only serves what is stored. */
  readonly connects?: boolean;
  /** Nobody can answer: calls that need approval are denied, and servers cannot ask questions; false. */
  readonly isUnattended?: boolean;
  /** Replaces options with which the gateway starts its toolbox. */
  readonly toolbox?: InternalToolboxOptions;
  /** The directory of the built web app, served at `/`; `docs` beside it is served at `/docs`. Nothing is served if undefined. */
  readonly web?: string;
  readonly createAuthenticate: (parts: GatewayParts) => Authenticate;
  /** The features of the gateway; the configuration can switch them off. None by default. */
  readonly features?: readonly Feature[];
  /** The routes besides MCP; those of the core and the features by default. */
  readonly createRoutes?: (parts: RouteParts, features: readonly Feature[]) => Routes | Promise<Routes>;
}

/** A running gateway. */
export interface Gateway extends AsyncDisposable {
  /** The address for programs of this machine, for example `http://127.0.0.1:7420`. With `gateway.tls`, others use https on the same port. */
  readonly url: string;
  readonly toolbox: AdministeredToolbox;
  /** Opens a connection inside this process. */
  connect(): Duplex;
  /** The number of open connections of clients. */
  connections(): Promise<number>;
  /** Rejects new calls, lets running calls finish within the configured time, stops the servers and closes the store. */
  close(): Promise<void>;
}

/** Serves a toolbox over HTTP. Resolves when the gateway listens; servers may still be connecting. */
export async function openGateway(source: ConfigSource | undefined, options: GatewayOptions): Promise<Gateway> {
  const { log, adminToken, adminTokenFile, stdioProgram, command, sessionKey, env = process.env } = options;
  const {
    tools,
    signal,
    watch,
    spawn,
    requestTimeoutMs = 120_000,
    listens = true,
    connects = true,
    isUnattended = false,
  } = options;
  const loaded = await openConfig(source, { env, log });
  if (listens) assertSecrets(loaded);
  for (const { problem, server } of loaded.unset ?? [])
    log.warning('config.variable-missing', problemLine(problem), { server });
  const { host = listens ? loaded.config.gateway.host : '127.0.0.1', port = loaded.config.gateway.port } = options;
  const returnUrl = (at: number) => oauthReturnUrl(loaded.config.gateway.url, host, at);
  const stopping = new AbortController();
  const { features: all = [] } = options;
  const features = chooseFeatures(all, loaded, log).filter(
    ({ servesOthers, replicas }) => (listens || !servesOthers) && (connects || !replicas),
  );
  const replicas = await openReplicas(features, options.storage.fleet, {
    log,
    openResults: () => limits.results.open({ id: 'replicas', isLimited: false }),
  });
  const { fleet = noFleet, placements, health: replica } = replicas ?? {};
  // Without replicas, the database belongs to this process.
  const storage = keepReads({ ...options.storage, fleet: replicas && options.storage.fleet }, fleet);
  let running: AdministeredToolbox | undefined;
  const started = startFeatures(features, {
    config: () => running?.config ?? loaded.config,
    ...{ storage, log, env, host, sessionKey },
    stopping: stopping.signal,
    returnUrl: () => returnUrl(portOf(server) ?? port),
  });
  const { traces = noTraces, signIn = noSignIn, frames = noFrames, accounts, embed, scripts } = started.core;
  const ended = createEndedSessions({ store: storage.endedSessions });
  await ended.load();
  const approver = createStoredApprover({
    store: storage.approvals,
    log,
    stopping: stopping.signal,
    isHeld: () => isHeld(storage.journal, undefined),
    limits: (caller) => pendingLimits(caller, toolbox.config.gateway.limits),
  });
  const limits = createLimits({ settings: () => (running ?? loaded).config.gateway.limits });
  const persons = createPersons({
    users: storage.users,
    keys: storage.keys,
    jwt: () => (running ?? loaded).config.gateway.jwt,
  });
  const searchFor = (name: string) => searchProfile(name, toolbox.config.profiles, mcp.viewOf);
  const toolbox = await startToolbox(loaded, {
    ...{ env, tools, signal, watch, spawn, log, placements },
    approver: isUnattended ? undefined : approver,
    ...{ journal: storage.journal, pins: storage.pins, rules: storage.rules },
    openPluginRecords: storage.openPluginRecords,
    overrides: storage.toolOverrides,
    resourceOwners: {
      load: () => storage.meta.get(ownersSubject),
      save: (text) => storage.meta.set(ownersSubject, text),
    },
    limits: replicas?.limits,
    argumentLimits: limits.arguments,
    scripts: scripts?.(searchFor),
    ...{ embed, accounts },
    featurePlugins: started.plugins,
    findPerson: (caller) => persons.find(caller),
    findCallers: persons.callersOf,
    findResultElsewhere: (id, caller) => findResultElsewhere(fleet, id, caller),
    oauth: { store: storage.oauth, redirectUrl: returnUrl(port) },
    host: isUnattended ? undefined : questionsNeedCall,
    startWaitMs: 0,
    publicOnly: (config) => !allowsPrivateAddresses(config, host),
    async assertUsable(changed) {
      assertSecrets(changed);
      chooseFeatures(all, changed);
      const { gateway } = changed.config;
      await assertSafeToListen(host, { settings: gateway, keys: storage.keys, adminToken });
    },
    connect: connects,
    ...options.toolbox,
  });
  running = toolbox;
  const { gateway: settings } = toolbox.config;
  const questions = createPendingQuestions({ expiresMs: () => toolbox.config.toolbox.approval.expiresMs });
  const hosts = createAppHosts({
    questions: isUnattended ? undefined : questions,
    findCall: toolbox.calls.find,
    openResults: ({ id }) => limits.results.open({ id, isLimited: id !== localCallerId }),
  });
  const calls = shareCalls(toolbox, fleet, storage.fleet, (id) => resumed.cancel(id));
  const { waitForTools } = toolbox;
  const waitForContent = placements?.waitForContent;
  const mcp = createMcpEndpoint({
    ...{ traces, toolbox, log, sessionKey, fleet, ended, waitForTools, waitForContent },
    parts: gatherMcpParts(features),
    tasks: { questions, journal: storage.journal, calls },
    startWaitMs: settings.listWaitMs,
  });
  const parts: GatewayParts = {
    toolbox,
    storage,
    log,
    stopping: stopping.signal,
    mcp,
    limits,
    replica,
    fleet,
    waitForTools,
    waitForContent,
    frames,
    calls: { hosts, approver, questions, sharedQuestions: shareQuestions(questions, fleet), shared: calls },
    security: {
      adminToken,
      sessions: createAppSessions({ sessionKey, adminToken, ended }),
      ended,
      ...signIn,
      persons,
      ownership: createOwnership({ conversations: storage.conversations, persons, toolbox }),
      // On loopback, an authenticated administrator already has a shell on this machine.
      allowsPrograms: () => toolbox.config.gateway.allowPrograms ?? isLoopback(host),
      allowsPrivateAddresses: () => allowsPrivateAddresses(toolbox.config, host),
    },
    process: { host, env, adminTokenFile, stdioProgram, command, connects },
  };
  const authenticate = options.createAuthenticate(parts);
  const openRequests = createOpenRequests({ authenticate, profiles: () => toolbox.config.profiles });
  toolbox.on('config.applied', () => {
    void openRequests.recheck();
    const switched = all.filter((one) => features.includes(one) === (toolbox.config.features[one.name] === false));
    if (switched.length > 0) warnOfFeatures(switched, log);
  });
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>();
  const described = replicas?.describe(toolbox);
  const resumed = resumeCalls({ storage, toolbox, hosts, log });
  followChanges({ fleet, toolbox, ended, openRequests });
  const admit: AdmitPorts = {
    profiles: () => toolbox.config.profiles,
    isListed: toolbox.isListed,
    hasServer: (name) => toolbox.servers.get(name) !== undefined,
    access: storage,
    stopping: stopping.signal,
    limits,
    resource: parts.security.resource,
  };
  let routes: Routes | undefined;

  /** Never rejects, so that the servers are always stopped afterwards. */
  async function closeRoutes(): Promise<void> {
    await routes?.close?.().catch((cause) => {
      log.error('gateway.close-failed', `Not everything was saved: ${messageOf(cause)}`);
    });
  }

  async function closeParts(): Promise<void> {
    openRequests.close();
    resumed[Symbol.dispose]();
    described?.[Symbol.dispose]();
    await fleet[Symbol.asyncDispose]();
    await closeRoutes();
    await toolbox.close();
    replicas?.[Symbol.dispose]();
    await traces.close();
    limits.unsent[Symbol.dispose]();
  }

  let server: Server;
  try {
    await assertSafeToListen(host, { settings, keys: storage.keys, adminToken });
    const routeParts: RouteParts = {
      ...{ ...parts, admit, traces, sessionKey, ready },
      security: { ...parts.security, authenticate, recheckAccess: openRequests.recheck },
    };
    routes = await (options.createRoutes ?? createRoutes)(routeParts, started.features);
    setReady();
    const allowedHosts = [...settings.allowedHosts, ...ownHostNames(host, settings.url)];
    const listener = createListener({
      parts,
      authenticate,
      openRequests,
      admit,
      guard: createGuard({
        ...settings,
        allowedHosts,
        publicPaths: features.flatMap(({ publicPaths = [] }) => publicPaths),
      }),
      web: options.web === undefined ? () => false : createWeb(options.web, parts.frames),
      routes,
    });
    const timeouts = timeoutsFor(requestTimeoutMs);
    server =
      settings.tls && listens
        ? await createTlsServer(settings.tls, listener, { ...timeouts, log, stopping: stopping.signal })
        : createServer(timeouts, listener);
    if (listens) await listen(server, host, port);
  } catch (cause) {
    stopping.abort();
    await closeParts();
    throw cause;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    mcp.close();
    toolbox.calls.handOver();
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, settings.shutdownMs).unref());
    // Connections that become idle during shutdown would otherwise stay open.
    const closeIdle = setInterval(() => server.closeIdleConnections(), 50);
    // The servers of other replicas' calls move when all calls that run or wait here have ended, even while clients stay connected.
    const drained = placements && toolbox.calls.ended(placements.owned()).then(placements.drain);
    await Promise.race([Promise.all([closed, drained]), timeout]);
    clearInterval(closeIdle);
    server.closeAllConnections();
    await closeParts();
    await storage.close();
  }
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= stop();
    return closing;
  };
  return {
    url: `http://${toUrlHost(host)}:${portOf(server) ?? port}`,
    toolbox,
    connect() {
      if (stopping.signal.aborted) throw new ToolwharfError('TOOLBOX_CLOSED', 'The gateway was closed');
      const [outside, inside] = duplexPair();
      // Each side notices that the other is gone, as the ends of a socket do.
      outside.once('close', () => inside.destroy());
      inside.once('close', () => inside.writableFinished || outside.destroy());
      server.emit('connection', inside);
      return outside;
    },
    connections: () => promisify(server.getConnections.bind(server))(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The port that a server listens on; undefined if it does not. */
function portOf(server: Server): number | undefined {
  return (server.address() as AddressInfo | null)?.port;
}

/** Features start and stop with the gateway only. */
function warnOfFeatures(switched: readonly Feature[], log: Log): void {
  const names = switched.map(({ name }) => name).join(', ');
  log.warning('config.restart-needed', `Restart the gateway to switch features on or off: ${names}`);
}

/** Connects with the other replicas on the database; undefined if no other process can use it, or no feature does that. */
async function openReplicas(
  features: readonly Feature[],
  store: Storage['fleet'],
  ports: Omit<ReplicasPorts, 'store'>,
): Promise<Replicas | undefined> {
  const open = features.find(({ replicas }) => replicas)?.replicas;
  return store && open?.({ ...ports, store });
}

/** Throws if a setting of the gateway is a variable or file that does not exist. */
function assertSecrets({ file, unset = [] }: LoadedConfig): void {
  const problems = unset.filter(({ server }) => server === undefined).map(({ problem }) => problem);
  if (problems.length > 0) throw configError(problems, file);
}

/** Rejects if other machines can reach `host` and no authentication method is configured. */
export async function assertSafeToListen(
  host: string,
  { settings, keys, adminToken }: AuthenticationMethods,
): Promise<void> {
  if (isLoopback(host) || settings.jwt || settings.oidc || adminToken !== undefined) return;
  if ((await keys.list()).some((key) => key.revokedAt === undefined)) return;
  const message = `The gateway refuses to listen on ${host} without authentication, because other machines can reach it: create an API key, configure gateway.oidc or gateway.jwt, or listen on 127.0.0.1`;
  throw new ToolwharfError('CONFIG_INVALID', message, { data: { host } });
}

function pendingLimits({ id }: Caller, limits: GatewayLimits): PendingLimits {
  const perCaller = id === localCallerId ? Number.POSITIVE_INFINITY : limits.maxPendingApprovalsPerCaller;
  return { perCaller, total: limits.maxPendingApprovals };
}

function allowsPrivateAddresses({ gateway }: Config, host: string): boolean {
  return gateway.allowPrivateAddresses ?? isLoopback(host);
}

interface AuthenticationMethods {
  readonly settings: Pick<GatewayConfig, 'jwt' | 'oidc'>;
  readonly keys: Pick<KeyStore, 'list'>;
  readonly adminToken?: string;
}
