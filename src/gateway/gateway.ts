import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConfigSource, openConfig } from '../config/open-config.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Storage } from '../storage/storage.ts';
import { createToolbox, type Toolbox, type ToolboxOptions } from '../toolbox.ts';
import { createAskClient } from './approvals/ask-client.ts';
import { createStoredApprover, type StoredApprover } from './approvals/stored-approver.ts';
import { type AppSessions, createAppSessions } from './auth/app-sessions.ts';
import { assertSafeToListen } from './auth/assert-safe-to-listen.ts';
import { challengeFor, unauthorized } from './auth/challenge.ts';
import { type Authenticate, hasRight, type Identity } from './auth/identity.ts';
import { oauthReturnPath, oauthReturnUrl, serveOAuthReturn } from './auth/oauth-return.ts';
import { createGuard } from './guard.ts';
import { createAskedCalls } from './mcp/asked-calls.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.ts';
import { sendJson } from './mcp/responder.ts';
import { createTraces, noTraces } from './traces/traces.ts';

/** Routes besides MCP; false for a request that is none of theirs. */
export type Routes = (
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity | undefined,
) => Promise<boolean>;

export interface GatewayOptions extends Pick<ToolboxOptions, 'env' | 'tools' | 'signal' | 'watch' | 'spawn'> {
  readonly storage: Storage;
  readonly log: Log;
  /** 32 bytes that seal session ids: the same on every replica and after every start. */
  readonly sessionKey: Buffer;
  /** Wins over the configuration. */
  readonly host?: string;
  readonly port?: number;
  /** The administrator's own; see `openAdminToken`. */
  readonly adminToken?: string;
  readonly createAuthenticate: (parts: GatewayParts) => Authenticate;
  readonly createRoutes: (parts: RouteParts) => Routes | Promise<Routes>;
}

/** What the gateway is made of, for those who add to it. */
export interface GatewayParts {
  readonly toolbox: Toolbox;
  readonly storage: Storage;
  readonly approver: StoredApprover;
  readonly mcp: McpEndpoint;
  readonly log: Log;
  /** The address it listens on, as it was asked for. */
  readonly host: string;
  /** Where the operator's `${VAR}` references are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adminToken?: string;
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
  readonly toolbox: Toolbox;
  /** Takes no more calls, lets running ones finish within the configured time, ends the servers, flushes the store. */
  close(): Promise<void>;
}

/** Puts a toolbox behind HTTP. Resolves when it listens; servers may still be connecting. */
export async function openGateway(source: ConfigSource | undefined, options: GatewayOptions): Promise<Gateway> {
  const { storage, log, adminToken, env = process.env } = options;
  const { config } = await openConfig(source, { env });
  const { host = config.gateway.host, port = config.gateway.port } = options;
  const redirectUrl = oauthReturnUrl(host, port);
  const asked = createAskedCalls();
  const approver = createStoredApprover({ store: storage.approvals, askClient: createAskClient(asked), log });
  const toolbox = await createToolbox(source, {
    ...pick(options),
    log,
    journal: storage.journal,
    pins: storage.pins,
    rules: storage.rules,
    oauth: { store: storage.oauth, ...(redirectUrl !== undefined && { redirectUrl }) },
    approver,
    questions: asked.questions,
    startWaitMs: 0,
  });
  const { gateway: settings } = toolbox.config;
  const traces = settings.tracesUrl === undefined ? noTraces : createTraces({ url: settings.tracesUrl, log });
  const mcp = createMcpEndpoint({
    traces,
    toolbox,
    asked,
    log,
    sessionKey: options.sessionKey,
    startWaitMs: settings.listWaitMs,
  });
  const stopping = new AbortController();
  const sessions = createAppSessions({
    sessionKey: options.sessionKey,
    ...(adminToken !== undefined && { adminToken }),
  });
  const parts: GatewayParts = {
    toolbox,
    storage,
    approver,
    mcp,
    log,
    host,
    env,
    ...(adminToken !== undefined && { adminToken }),
    sessions,
    stopping: stopping.signal,
  };
  const authenticate = options.createAuthenticate(parts);
  const guard = createGuard({ ...settings, allowedHosts: [...settings.allowedHosts, ...ownName(host)] });
  let routes: Routes = async () => false;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = guard(request);
    if (refusal !== undefined) return sendJson(response, 403, { error: { code: 'FORBIDDEN', message: refusal } });
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
      if (await routes(request, response, identity)) return;
      return sendJson(response, 404, { error: { code: 'NOT_FOUND', message: `There is nothing at ${path}` } });
    }
    if (!identity) return sendJson(response, 401, unauthorized, { 'www-authenticate': challengeFor(request) });
    if (!hasRight(identity, 'call'))
      return sendJson(response, 403, { error: { code: 'FORBIDDEN', message: "This needs the right 'call'" } });
    if (stopping.signal.aborted)
      return sendJson(response, 503, { error: { code: 'TOOLBOX_CLOSED', message: 'The gateway is stopping' } });
    const profile = findProfile(profileName[1], identity);
    if (!profile) return sendJson(response, 404, { error: { code: 'NOT_FOUND', message: 'There is no such profile' } });
    return mcp.serve(request, response, { caller: identity.caller, profile });
  }

  function findProfile(asked: string | undefined, identity: Identity) {
    const name = asked === undefined ? (identity.profile ?? 'default') : decoded(asked);
    if (identity.profile !== undefined && name !== identity.profile) return undefined;
    return toolbox.config.profiles.find((profile) => profile.name === name);
  }

  const server = createServer((request, response) => {
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
    server.closeIdleConnections();
    await Promise.race([closed, patience]);
    server.closeAllConnections();
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

/** The name that a client uses which was told the address we listen on. All addresses at once are no name. */
function ownName(host: string): readonly string[] {
  if (host === '0.0.0.0' || host === '::') return [];
  return [host.includes(':') ? `[${host}]` : host];
}

/** What the text stands for; itself where it is not encoded well, which no profile is named. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sendFailure(response: ServerResponse, { code, message, data, status }: ToolwharfError): void {
  const { retryAfterMs } = data;
  const wait = typeof retryAfterMs === 'number' && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
  sendJson(response, status, { error: { code, message } }, { ...wait });
}

function pick({ env, tools, signal, watch, spawn }: GatewayOptions): ToolboxOptions {
  return {
    ...(env && { env }),
    ...(tools && { tools }),
    ...(signal && { signal }),
    ...(watch !== undefined && { watch }),
    ...(spawn !== undefined && { spawn }),
  };
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
