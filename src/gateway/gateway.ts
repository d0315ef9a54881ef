import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Config } from '../config/config.ts';
import type { ConfigSource } from '../config/config-source.ts';
import type { GatewayLimits } from '../config/gateway-config.ts';
import { openConfig } from '../config/open-config.ts';
import { type Fleet, openFleet } from '../fleet/fleet.ts';
import { createPlacements } from '../fleet/placement/placements.ts';
import { createSharedLimits } from '../fleet/postgres/shared-limits.ts';
import { isHeld } from '../invocation/journal.ts';
import { createStoredApprover, type PendingLimits, type StoredApprover } from '../invocation/stored-approver.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller } from '../kernel/tool.ts';
import { openScripts } from '../scale/code/open-scripts.ts';
import { openGatewayEmbeddings } from '../scale/embeddings/open-gateway-embeddings.ts';
import type { Storage } from '../storage/storage.ts';
import { type AdministeredToolbox, type InternalToolboxOptions, startToolbox } from '../toolbox.ts';
import { type A2aRoutes, createA2aRoutes } from './a2a/a2a-routes.ts';
import { createAccountPorts } from './accounts/account-owner.ts';
import { type AppFrames, createAppFrames } from './apps/app-frames.ts';
import { answerChallenge } from './auth/admin-token.ts';
import { type AdmitPorts, admitCaller, sendUnauthorized } from './auth/admit-caller.ts';
import { type AppSessions, createAppSessions } from './auth/app-sessions.ts';
import { assertSafeToListen } from './auth/assert-safe-to-listen.ts';
import { type Authenticate, type Identity, inTime, localCallerId } from './auth/identity.ts';
import { isLoopback } from './auth/loopback.ts';
import { oauthReturnPath, oauthReturnUrl, serveOAuthReturn } from './auth/oauth-return.ts';
import { createSignInParts, type SignInParts } from './auth/oidc/sign-in-parts.ts';
import { createOpenRequests, type OpenRequests } from './auth/open-requests.ts';
import { createOwnership, type Ownership } from './auth/ownership.ts';
import { type AppHosts, createAppHosts } from './calls/app-hosts.ts';
import type { StdioProgram } from './clients/mcp-clients.ts';
import { createEndedSessions, type EndedSessions } from './fleet/ended-sessions.ts';
import { joinFleet } from './fleet/join-fleet.ts';
import { keepReads } from './fleet/kept-reads.ts';
import { createReplicaHealth, type ReplicaHealth } from './fleet/replica-health.ts';
import { findResultElsewhere, type SharedCalls, shareCalls } from './fleet/shared-calls.ts';
import { type SharedQuestions, shareQuestions } from './fleet/shared-questions.ts';
import { createGuard } from './guard.ts';
import { createLimits, type Limits } from './limits/limits.ts';
import { listen, ownHostNames, timeoutsFor, toUrlHost } from './listen.ts';
import { questionsNeedCall } from './mcp/client-host.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.ts';
import { sendFailure, sendJson } from './mcp/responder.ts';
import { createPendingQuestions, type PendingQuestions } from './questions/pending-questions.ts';
import { searchProfile } from './scripts/search-profile.ts';
import { createSharedTasks } from './tasks/shared-tasks.ts';
import { createTraces, noTraces } from './traces/traces.ts';
import { createWeb, type Web } from './web/serve-web.ts';

/** Routes besides MCP and A2A. */
export interface Routes {
  /** Resolves with false if no route matches the request. */
  (request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<boolean>;
  /** Stops running work while the toolbox and the store are still open. */
  close?(): Promise<void>;
}

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

/** The parts of the gateway that authentication and routes use. */
export interface GatewayParts {
  readonly toolbox: AdministeredToolbox;
  readonly storage: Storage;
  readonly log: Log;
  /** Aborts when the gateway begins to stop and accepts no new calls. */
  readonly stopping: AbortSignal;
  readonly mcp: McpEndpoint;
  readonly limits: Limits;
  /** Undefined if no other process can use the database. */
  readonly replica?: ReplicaHealth;
  readonly fleet: Fleet;
  readonly frames: AppFrames;
  readonly calls: CallParts;
  readonly security: SecurityParts;
  readonly process: ProcessFacts;
}

/** The parts that show calls to people and collect their answers. */
export interface CallParts {
  /** The hosts of calls that are made over REST, A2A and by assistants. */
  readonly hosts: AppHosts;
  readonly approver: StoredApprover;
  /** The questions that servers ask during those calls on this replica. */
  readonly questions: PendingQuestions;
  /** The same of all replicas. */
  readonly sharedQuestions: SharedQuestions;
  /** The running calls of all replicas. */
  readonly shared: SharedCalls;
}

/** Authentication and authorization. */
export interface SecurityParts extends SignInParts {
  readonly adminToken?: string;
  readonly sessions: AppSessions;
  readonly ended: EndedSessions;
  readonly ownership: Ownership;
  /** Whether servers added over the API may start programs. */
  readonly allowsPrograms: () => boolean;
  /** Whether servers and model providers added over the API may have private addresses. */
  readonly allowsPrivateAddresses: () => boolean;
}

/** The environment and options of the gateway process. */
export interface ProcessFacts {
  /** The listen address. */
  readonly host: string;
  /** Resolves the operator's `${VAR}` references. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adminTokenFile?: string;
  readonly stdioProgram?: StdioProgram;
  /** How a person on this machine runs the command line. Default: `toolwharf`. */
  readonly command?: string;
}

/** The parts that routes use. Streaming routes also re-authenticate their callers. */
export interface RouteParts extends GatewayParts {
  readonly security: SecurityParts & {
    readonly authenticate: Authenticate;
    /** Closes the open requests of callers that have lost their access. */
    readonly recheckAccess: OpenRequests['recheck'];
  };
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
    embed: openGatewayEmbeddings(loaded.config.gateway.embeddings, log, stopping.signal),
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

interface ListenerPorts {
  readonly parts: GatewayParts;
  readonly authenticate: Authenticate;
  readonly openRequests: OpenRequests;
  readonly admit: AdmitPorts;
  readonly guard: ReturnType<typeof createGuard>;
  readonly web: Web;
  readonly routes: Routes;
  readonly a2a: A2aRoutes;
}

/** Guards, authenticates and routes every request. */
function createListener(ports: ListenerPorts): (request: IncomingMessage, response: ServerResponse) => void {
  const { authenticate, openRequests, admit, guard, web, routes, a2a } = ports;
  const { toolbox, storage, log, mcp, limits, frames } = ports.parts;
  const { adminToken } = ports.parts.security;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (frames.serve(request, response)) return;
    const refusal = guard(request);
    if (refusal !== undefined) return sendJson(response, 403, { error: { code: 'FORBIDDEN', message: refusal } });
    // The web app is public, because it has to load before a user can sign in.
    const page = web(request, response);
    if (page && (await page)) return;
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    // Answered before anything that could fail or wait.
    if (path === '/healthz') return sendJson(response, 200, { status: 'alive' }, answerChallenge(request, adminToken));
    const isProbe = path === '/readyz' || path === '/metrics';
    const identity = await (isProbe ? inTime(authenticate(request)) : authenticate(request)).catch((cause) => {
      if (!(cause instanceof ToolwharfError)) throw cause;
      sendFailure(response, cause);
      return 'rejected' as const;
    });
    if (identity === 'rejected') return;
    // Invalid credentials are an error on public routes too.
    if (!identity && request.headers.authorization !== undefined)
      return sendUnauthorized(request, response, admit.resource);
    if (identity) openRequests.add(request, response, identity);
    if (!isProbe) limits.assertMemory();
    if (identity) limits.unsent.track(response, limits.for(identity).caller);
    if (path === oauthReturnPath && request.method === 'GET')
      return serveOAuthReturn(request, response, { toolbox, storage, log });
    const mcpPath = /^\/mcp(?:\/([^/]+))?\/?$/.exec(path);
    if (mcpPath) {
      const client = admitCaller(request, response, identity, mcpPath[1], admit);
      if (client) await mcp.serve(request, response, client);
      return;
    }
    if ((await routes(request, response, identity)) || (await a2a.serve(request, response, identity))) return;
    sendJson(response, 404, { error: { code: 'NOT_FOUND', message: `There is nothing at ${path}` } });
  }

  return (request, response) => {
    serve(request, response).catch((cause) => {
      if (cause instanceof ToolwharfError) return sendFailure(response, cause);
      log.error('gateway.failed', `A request failed: ${messageOf(cause)}`);
      sendJson(response, 500, { error: { code: 'INTERNAL', message: 'Internal error' } });
    });
  };
}

function pendingLimits({ id }: Caller, limits: GatewayLimits): PendingLimits {
  const perCaller = id === localCallerId ? Number.POSITIVE_INFINITY : limits.maxPendingApprovalsPerCaller;
  return { perCaller, total: limits.maxPendingApprovals };
}

function allowsPrivateAddresses({ gateway }: Config, host: string): boolean {
  return gateway.allowPrivateAddresses ?? isLoopback(host);
}
