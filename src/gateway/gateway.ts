import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Config } from '../config/config.ts';
import type { ConfigSource } from '../config/config-source.ts';
import type { GatewayConfig, GatewayLimits } from '../config/gateway-config.ts';
import { openConfig } from '../config/open-config.ts';
import { openFleet } from '../fleet/fleet.ts';
import { createPlacements } from '../fleet/placement/placements.ts';
import { createSharedLimits } from '../fleet/postgres/shared-limits.ts';
import { isHeld } from '../invocation/journal.ts';
import { createStoredApprover, type PendingLimits } from '../invocation/stored-approver.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller } from '../kernel/tool.ts';
import { openScripts } from '../scale/code/open-scripts.ts';
import { openGatewayEmbeddings } from '../scale/embeddings/open-gateway-embeddings.ts';
import type { KeyStore } from '../storage/ports/key-store.ts';
import type { Storage } from '../storage/storage.ts';
import { type AdministeredToolbox, type InternalToolboxOptions, startToolbox } from '../toolbox.ts';
import { createA2aRoutes } from './a2a/a2a-routes.ts';
import { createAccountPorts } from './accounts/account-owner.ts';
import { createAppFrames } from './apps/app-frames.ts';
import type { AdmitPorts } from './auth/admit-caller.ts';
import { createAppSessions } from './auth/app-sessions.ts';
import { type Authenticate, localCallerId } from './auth/identity.ts';
import { oauthReturnUrl } from './auth/oauth-return.ts';
import { createSignInParts } from './auth/oidc/sign-in-parts.ts';
import { createOpenRequests } from './auth/open-requests.ts';
import { createOwnership } from './auth/ownership.ts';
import { createAppHosts } from './calls/app-hosts.ts';
import type { StdioProgram } from './clients/mcp-clients.ts';
import { createEndedSessions } from './fleet/ended-sessions.ts';
import { joinFleet } from './fleet/join-fleet.ts';
import { keepReads } from './fleet/kept-reads.ts';
import { createReplicaHealth } from './fleet/replica-health.ts';
import { findResultElsewhere, shareCalls } from './fleet/shared-calls.ts';
import { shareQuestions } from './fleet/shared-questions.ts';
import type { GatewayParts, RouteParts, Routes } from './gateway-parts.ts';
import { createGuard, isLoopback } from './guard.ts';
import { createLimits } from './limits/limits.ts';
import { listen, ownHostNames, timeoutsFor, toUrlHost } from './listen.ts';
import { createListener } from './listener.ts';
import { questionsNeedCall } from './mcp/client-host.ts';
import { createMcpEndpoint } from './mcp/endpoint.ts';
import { createPendingQuestions } from './questions/pending-questions.ts';
import { searchProfile } from './scripts/search-profile.ts';
import { createSharedTasks } from './tasks/shared-tasks.ts';
import { createTraces, noTraces } from './traces/traces.ts';
import { createWeb } from './web/serve-web.ts';

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
  /** The directory of the built web app, served at `/`; `docs` beside it is served at `/docs`. Nothing is served if undefined. */
  readonly web?: string;
  readonly createAuthenticate: (parts: GatewayParts) => Authenticate;
  readonly createRoutes: (parts: RouteParts) => Routes | Promise<Routes>;
}

/** A running gateway. */
export interface Gateway extends AsyncDisposable {
  /** For example `http://127.0.0.1:7420`. */
  readonly url: string;
  readonly toolbox: AdministeredToolbox;
  /** The number of open connections of clients. */
  connections(): Promise<number>;
  /** Rejects new calls, lets running calls finish within the configured time, stops the servers and closes the store. */
  close(): Promise<void>;
}

/** Serves a toolbox over HTTP. Resolves when the gateway listens; servers may still be connecting. */
export async function openGateway(source: ConfigSource | undefined, options: GatewayOptions): Promise<Gateway> {
  const { log, adminToken, adminTokenFile, stdioProgram, command, sessionKey, env = process.env } = options;
  const { tools, signal, watch, spawn, requestTimeoutMs = 120_000 } = options;
  const loaded = await openConfig(source, { env, log });
  const { host = loaded.config.gateway.host, port = loaded.config.gateway.port } = options;
  const returnUrl = (at: number) => oauthReturnUrl(loaded.config.gateway.url, host, at);
  const stopping = new AbortController();
  const fleet = await openFleet({ store: options.storage.fleet, log });
  const storage = keepReads(options.storage, fleet);
  const sharedLimits = storage.fleet && createSharedLimits({ store: storage.fleet, fleet, log });
  const replica = storage.fleet && createReplicaHealth(storage.fleet.lease, sharedLimits);
  const openResults = () => limits.results.open({ id: 'replicas', isLimited: false });
  const placements = storage.fleet && createPlacements({ store: storage.fleet, fleet, log, openResults });
  const ended = createEndedSessions({ store: storage.fleet });
  await ended.load();
  const approver = createStoredApprover({
    store: storage.approvals,
    log,
    stopping: stopping.signal,
    isHeld: () => isHeld(storage.journal, undefined),
    limits: (caller) => pendingLimits(caller, toolbox.config.gateway.limits),
  });
  const searchFor = (name: string) => searchProfile(name, toolbox.config.profiles, mcp.viewOf);
  const toolbox = await startToolbox(loaded, {
    ...{ env, tools, signal, watch, spawn, log, placements, approver },
    ...{ journal: storage.journal, pins: storage.pins, rules: storage.rules },
    overrides: storage.toolOverrides,
    limits: sharedLimits,
    scripts: { open: (used) => openScripts(used, { searchFor }) },
    embed: openGatewayEmbeddings(loaded.config.gateway.embeddings, { log, storage, signal: stopping.signal }),
    findResultElsewhere: (id, caller) => findResultElsewhere(fleet, id, caller),
    oauth: { store: storage.oauth, redirectUrl: returnUrl(port) },
    accounts: createAccountPorts(storage, {
      returnUrl: () => returnUrl((server.address() as AddressInfo).port),
      waitMs: () => toolbox.config.toolbox.approval.expiresMs,
    }),
    host: questionsNeedCall,
    startWaitMs: 0,
    scanDelayMs: 200,
    publicOnly: (config) => !allowsPrivateAddresses(config, host),
  });
  const { gateway: settings } = toolbox.config;
  const traces = settings.tracesUrl === undefined ? noTraces : createTraces({ url: settings.tracesUrl, log });
  const limits = createLimits({ settings: () => toolbox.config.gateway.limits });
  const questions = createPendingQuestions({ expiresMs: () => toolbox.config.toolbox.approval.expiresMs });
  const hosts = createAppHosts({
    questions,
    findCall: toolbox.calls.find,
    openResults: ({ id }) => limits.results.open({ id, isLimited: id !== localCallerId }),
  });
  const calls = shareCalls(toolbox, fleet, storage.fleet, (id) => joined.cancelWaiting(id));
  const tasks = createSharedTasks({ toolbox, questions, journal: storage.journal, calls, fleet });
  const mcpParts = { traces, toolbox, log, sessionKey, fleet, ended, tasks };
  const mcp = createMcpEndpoint({ ...mcpParts, startWaitMs: settings.listWaitMs });
  const parts: GatewayParts = {
    toolbox,
    storage,
    log,
    stopping: stopping.signal,
    mcp,
    limits,
    replica,
    fleet,
    frames: createAppFrames({ settings: () => toolbox.config.gateway.apps, key: sessionKey }),
    calls: { hosts, approver, questions, sharedQuestions: shareQuestions(questions, fleet), shared: calls },
    security: {
      adminToken,
      sessions: createAppSessions({ sessionKey, adminToken, ended }),
      ended,
      ...createSignInParts({ settings: () => toolbox.config.gateway, host, env, sessionKey }),
      ownership: createOwnership({ conversations: storage.conversations, toolbox }),
      // On loopback, an authenticated administrator already has a shell on this machine.
      allowsPrograms: () => toolbox.config.gateway.allowPrograms ?? isLoopback(host),
      allowsPrivateAddresses: () => allowsPrivateAddresses(toolbox.config, host),
    },
    process: { host, env, adminTokenFile, stdioProgram, command },
  };
  const authenticate = options.createAuthenticate(parts);
  const openRequests = createOpenRequests({ authenticate, profiles: () => toolbox.config.profiles });
  toolbox.on('config.applied', () => void openRequests.recheck());
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>();
  const joined = joinFleet({ replica, placements, storage, fleet, toolbox, hosts, ended, openRequests, ready, log });
  const admit: AdmitPorts = {
    profiles: () => toolbox.config.profiles,
    access: storage,
    stopping: stopping.signal,
    limits,
    resource: parts.security.resource,
  };
  const a2a = createA2aRoutes({ toolbox, hosts, traces, tasks, sessionKey, log }, admit);
  let routes: Routes | undefined;

  /** Never rejects, so that the servers are always stopped afterwards. */
  async function closeRoutes(): Promise<void> {
    await routes?.close?.().catch((cause) => {
      log.error('gateway.close-failed', `Not everything was saved: ${messageOf(cause)}`);
    });
    await a2a.close();
  }

  async function closeParts(): Promise<void> {
    openRequests.close();
    joined[Symbol.dispose]();
    await fleet[Symbol.asyncDispose]();
    await closeRoutes();
    await toolbox.close();
    placements?.[Symbol.dispose]();
    sharedLimits?.[Symbol.dispose]();
    await traces.close();
    limits.unsent[Symbol.dispose]();
  }

  let server: Server;
  try {
    await assertSafeToListen(host, { settings, keys: storage.keys, adminToken });
    routes = await options.createRoutes({
      ...parts,
      security: { ...parts.security, authenticate, recheckAccess: openRequests.recheck },
    });
    setReady();
    const allowedHosts = [...settings.allowedHosts, ...ownHostNames(host, settings.url)];
    const listener = createListener({
      parts,
      authenticate,
      openRequests,
      admit,
      guard: createGuard({ ...settings, allowedHosts }),
      web: options.web === undefined ? () => false : createWeb(options.web, parts.frames),
      routes,
      a2a,
    });
    server = createServer(timeoutsFor(requestTimeoutMs), listener);
    await listen(server, host, port);
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
    // The servers of other replicas' calls move when this replica no longer needs them itself.
    await Promise.race([closed.then(() => placements?.drain()), timeout]);
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
    url: `http://${toUrlHost(host)}:${(server.address() as AddressInfo).port}`,
    toolbox,
    connections: () => promisify(server.getConnections.bind(server))(),
    close,
    [Symbol.asyncDispose]: close,
  };
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
