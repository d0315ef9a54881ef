import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConfigSource } from '../config/config-source.ts';
import { openConfig } from '../config/open-config.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Storage } from '../storage/storage.ts';
import { type InternalToolbox, type InternalToolboxOptions, startToolbox } from '../toolbox.ts';
import { createA2aRoutes } from './a2a/a2a-routes.ts';
import { createStoredApprover, type StoredApprover } from './approvals/stored-approver.ts';
import { admitCaller } from './auth/admit-caller.ts';
import { type AppSessions, createAppSessions } from './auth/app-sessions.ts';
import { assertSafeToListen } from './auth/assert-safe-to-listen.ts';
import type { Authenticate, Identity } from './auth/identity.ts';
import { isLoopback } from './auth/loopback.ts';
import { oauthReturnPath, oauthReturnUrl, serveOAuthReturn } from './auth/oauth-return.ts';
import { createOwnership, type Ownership } from './auth/ownership.ts';
import { type AppHosts, createAppHosts } from './calls/app-hosts.ts';
import type { StdioProgram } from './clients/mcp-clients.ts';
import { createGuard } from './guard.ts';
import { questionsNeedCall } from './mcp/client-host.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.ts';
import { sendJson } from './mcp/responder.ts';
import { createPendingQuestions, type PendingQuestions } from './questions/pending-questions.ts';
import { createTraces, noTraces } from './traces/traces.ts';
import { createWeb } from './web/serve-web.ts';

/** Routes besides MCP and A2A. */
export interface Routes {
  /** False for a request that is none of theirs. */
  (request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<boolean>;
  /** Ends what they have under way, while the toolbox and the store are still there. */
  close?(): Promise<void>;
}

export interface GatewayOptions extends Pick<InternalToolboxOptions, 'env' | 'tools' | 'signal' | 'watch' | 'spawn'> {
  readonly storage: Storage;
  readonly log: Log;
  /** 32 bytes that seal session ids: the same on every replica and after every start. */
  readonly sessionKey: Buffer;
  /** Wins over the configuration. */
  readonly host?: string;
  readonly port?: number;
  /** Within which a request must have come, from its first byte to its last; 120 000. */
  readonly requestTimeoutMs?: number;
  /** The administrator's own; see `openAdminToken`. */
  readonly adminToken?: string;
  /** Where that token is kept, for telling those who are on this machine. */
  readonly adminTokenFile?: string;
  /** How clients that only start programs reach the same toolbox. */
  readonly stdioProgram?: StdioProgram;
  /** The directory of the built app, which is served at `/`; none serves no app. */
  readonly web?: string;
  readonly createAuthenticate: (parts: GatewayParts) => Authenticate;
  readonly createRoutes: (parts: RouteParts) => Routes | Promise<Routes>;
}

/** What the gateway is made of, for those who add to it. */
export interface GatewayParts {
  readonly toolbox: InternalToolbox;
  readonly storage: Storage;
  readonly approver: StoredApprover;
  /** The hosts of calls of the API and of assistants. */
  readonly hosts: AppHosts;
  /** The servers' questions during those calls. */
  readonly questions: PendingQuestions;
  readonly ownership: Ownership;
  /** Whether programs that were added over the API are started. */
  readonly allowsPrograms: () => boolean;
  /** Whether servers and model providers added over the API may be at private addresses. */
  readonly allowsPrivateAddresses: () => boolean;
  readonly mcp: McpEndpoint;
  readonly log: Log;
  /** The address it listens on, as it was asked for. */
  readonly host: string;
  /** Where the operator's `${VAR}` references are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adminToken?: string;
  readonly adminTokenFile?: string;
  readonly stdioProgram?: StdioProgram;
  readonly sessions: AppSessions;
  /** Aborts when it is asked to stop and takes no new calls. */
  readonly stopping: AbortSignal;
}

export interface RouteParts extends GatewayParts {
  readonly authenticate: Authenticate;
}

export interface Gateway extends AsyncDisposable {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  readonly toolbox: InternalToolbox;
  /** Takes no more calls, lets running ones finish within the configured time, ends the servers, flushes the store. */
  close(): Promise<void>;
}

/** Puts a toolbox behind HTTP. Resolves when it listens; servers may still be connecting. */
export async function openGateway(source: ConfigSource | undefined, options: GatewayOptions): Promise<Gateway> {
  const { storage, log, adminToken, adminTokenFile, stdioProgram, env = process.env } = options;
  const { requestTimeoutMs = 120_000 } = options;
  const loaded = await openConfig(source, { env, log });
  const { host = loaded.config.gateway.host, port = loaded.config.gateway.port } = options;
  const redirectUrl = oauthReturnUrl(host, port);
  const allowsPrivateAddresses = () => toolbox.config.gateway.allowPrivateAddresses ?? isLoopback(host);
  const stopping = new AbortController();
  const ownership = createOwnership({ conversations: storage.conversations, toolbox: () => toolbox });
  const approver = createStoredApprover({
    store: storage.approvals,
    log,
    stopping: stopping.signal,
  });
  const questions = createPendingQuestions({ expiresMs: () => toolbox.config.toolbox.approval.expiresMs });
  const { tools, signal, watch, spawn } = options;
  const toolbox = await startToolbox(loaded, {
    ...{ env, tools, signal, watch, spawn },
    log,
    journal: storage.journal,
    pins: storage.pins,
    rules: storage.rules,
    oauth: { store: storage.oauth, redirectUrl },
    approver,
    host: questionsNeedCall,
    startWaitMs: 0,
    publicOnly: () => !allowsPrivateAddresses(),
  });
  const hosts = createAppHosts({ questions, findCall: toolbox.calls.find });
  const { gateway: settings } = toolbox.config;
  const traces = settings.tracesUrl === undefined ? noTraces : createTraces({ url: settings.tracesUrl, log });
  const mcp = createMcpEndpoint({
    traces,
    toolbox,
    log,
    sessionKey: options.sessionKey,
    startWaitMs: settings.listWaitMs,
  });
  const sessions = createAppSessions({
    sessionKey: options.sessionKey,
    ...(adminToken !== undefined && { adminToken }),
  });
  const parts: GatewayParts = {
    toolbox,
    storage,
    approver,
    hosts,
    questions,
    ownership,
    // On loopback an administrator who proved it has a shell on this machine anyway.
    allowsPrograms: () => toolbox.config.gateway.allowPrograms ?? isLoopback(host),
    allowsPrivateAddresses,
    mcp,
    log,
    host,
    env,
    ...(adminToken !== undefined && { adminToken }),
    ...(adminTokenFile !== undefined && { adminTokenFile }),
    ...(stdioProgram && { stdioProgram }),
    sessions,
    stopping: stopping.signal,
  };
  const authenticate = options.createAuthenticate(parts);
  const guard = createGuard({ ...settings, allowedHosts: [...settings.allowedHosts, ...ownName(host)] });
  const web = options.web === undefined ? () => false : await createWeb(options.web);
  const admit = { profiles: () => toolbox.config.profiles, keys: storage.keys, stopping: stopping.signal };
  const a2a = createA2aRoutes({ toolbox, hosts, questions, traces, log }, admit);
  let routes: Routes = async () => false;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = guard(request);
    if (refusal !== undefined) return sendJson(response, 403, { error: { code: 'FORBIDDEN', message: refusal } });
    // The app itself is the same for everybody, and has to be there before anybody can sign in.
    if (web(request, response)) return;
    const identity = await authenticate(request).catch((cause) => {
      if (!(cause instanceof ToolwharfError)) throw cause;
      sendFailure(response, cause);
      return 'refused' as const;
    });
    if (identity === 'refused') return;
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    if (path === oauthReturnPath && request.method === 'GET')
      return serveOAuthReturn(request, response, { toolbox, log });
    const profileName = /^\/mcp(?:\/([^/]+))?\/?$/.exec(path);
    if (!profileName) {
      if ((await routes(request, response, identity)) || (await a2a.serve(request, response, identity))) return;
      return sendJson(response, 404, { error: { code: 'NOT_FOUND', message: `There is nothing at ${path}` } });
    }
    const client = admitCaller(request, response, identity, profileName[1], admit);
    if (client) return mcp.serve(request, response, client);
  }

  /** Whatever becomes of them, the servers must be ended too. */
  async function closeRoutes(): Promise<void> {
    await routes.close?.().catch((cause) => log.error('gateway.close-failed', `Not all was kept: ${messageOf(cause)}`));
    await a2a.close();
  }

  const server = createServer(timesFor(requestTimeoutMs), (request, response) => {
    serve(request, response).catch((cause) => {
      log.error('gateway.failed', `A request failed: ${messageOf(cause)}`);
      sendJson(response, 500, { error: { code: 'INTERNAL', message: 'Internal error' } });
    });
  });
  try {
    await assertSafeToListen(host, { settings, keys: storage.keys, ...(adminToken !== undefined && { adminToken }) });
    routes = await options.createRoutes({ ...parts, authenticate });
    await listen(server, host, port);
  } catch (cause) {
    stopping.abort();
    await closeRoutes();
    await toolbox.close();
    await traces.close();
    throw cause;
  }

  let closing: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    mcp.close();
    const patience = new Promise<void>((resolve) => setTimeout(resolve, settings.shutdownMs).unref());
    // One whose answer is given meanwhile would be kept for the next request, which nobody takes.
    const tidying = setInterval(() => server.closeIdleConnections(), 50);
    await Promise.race([closed, patience]);
    clearInterval(tidying);
    server.closeAllConnections();
    await closeRoutes();
    await toolbox.close();
    await traces.close();
    await storage.close();
  }
  const close = () => {
    closing ??= stop();
    return closing;
  };
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    toolbox,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** How long a request may take to come, its headers half as long, and how often that is looked at. */
function timesFor(requestTimeoutMs: number): ServerOptions {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.ceil(requestTimeoutMs / 2),
    connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 8),
    // Longer than the minute that proxies and clients keep a connection they may use again: who closes first must be them.
    keepAliveTimeout: 65_000,
  };
}

/** The name that a client uses which was told the address we listen on. All addresses at once are no name. */
function ownName(host: string): readonly string[] {
  if (host === '0.0.0.0' || host === '::') return [];
  return [host.includes(':') ? `[${host}]` : host];
}

function sendFailure(response: ServerResponse, { code, message, data, status }: ToolwharfError): void {
  const { retryAfterMs } = data;
  const wait = typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  sendJson(response, status, { error: { code, message } }, { ...wait });
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const message = taken ? `Port ${port} on ${host} is taken: choose another with --port` : messageOf(cause);
      reject(new ToolwharfError('CONFIG_INVALID', message, { cause }));
    });
    server.listen(port, host, resolve);
  });
}
