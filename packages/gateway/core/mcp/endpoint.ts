import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { InternalStartOptions } from '../../../toolwharf/invocation/invoker.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { EndedSessions } from '../auth/ended-sessions.ts';
import type { Traces } from '../calls/traces.ts';
import type { CallerUsage } from '../http/limits/limits.ts';
import type { Reservation } from '../http/limits/quota.ts';
import type { RequestResults } from '../http/limits/result-memory.ts';
import type { Fleet } from '../replicas/fleet.ts';
import type { CallTasks } from './call-tasks.ts';
import type { RequestUsage } from './client-request.ts';
import { initialize, type LegacyClient, receiveLegacy, serveRequest, serveStream, sessionOf } from './legacy.ts';
import { isModern, serveModern } from './modern.ts';
import { createPorts, type PortsOptions } from './ports.ts';
import { createResponder, neverAborts, type Responder, sendJson } from './responder.ts';
import {
  assertBatch,
  metaOf,
  modernVersion,
  RpcError,
  type RpcMessage,
  retryHeaders,
  rpcCode,
  toAdmissionError,
  toError,
  toMessage,
} from './rpc.ts';
import type { Session } from './sessions.ts';
import type { View } from './view.ts';

export interface McpEndpointOptions {
  readonly toolbox: InternalToolbox;
  readonly log: Log;
  /** 32 bytes that encrypt session ids. All replicas use the same key, and it survives restarts. */
  readonly sessionKey: Buffer;
  readonly startWaitMs?: number;
  readonly traces?: Traces;
  /** The other replicas, and the sessions that they ended. */
  readonly fleet?: Fleet;
  readonly ended?: EndedSessions;
  readonly parts?: PortsOptions['parts'];
  readonly tasks?: PortsOptions['tasks'];
  readonly waitForTools?: PortsOptions['waitForTools'];
  readonly waitForContent?: PortsOptions['waitForContent'];
}

/** The authenticated caller and its profile. */
export interface McpClient {
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** Reloads the policy for a call that has waited. Rejects if the caller has lost its access. */
  readonly refreshPolicy?: InternalStartOptions['refreshPolicy'];
  readonly usage: CallerUsage;
}

/** The aggregated MCP endpoint over HTTP. It serves both protocol eras at one URL. */
export interface McpEndpoint {
  serve(request: IncomingMessage, response: ServerResponse, client: McpClient): Promise<void>;
  /** The tools, resources and prompts of a profile. */
  viewOf(profile: ProfileConfig): Promise<View>;
  readonly tasks: CallTasks;
  /** The number of open sessions and subscriptions. */
  readonly open: { readonly sessions: number; readonly subscriptions: number };
  /** Closes every stream. */
  close(): void;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { toolbox, log } = options;
  const ports = createPorts({
    toolbox,
    log,
    sessionKey: options.sessionKey,
    startWaitMs: options.startWaitMs,
    traces: options.traces,
    fleet: options.fleet,
    ended: options.ended,
    parts: options.parts,
    tasks: options.tasks,
    waitForTools: options.waitForTools,
    waitForContent: options.waitForContent,
  });
  const { sessions, subscriptions, serialized } = ports;
  let isClosed = false;

  async function post(request: IncomingMessage, response: ServerResponse, admitted: McpClient): Promise<void> {
    let usage: UsageOfRequest | undefined;
    try {
      if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
        throw new RpcError(rpcCode.invalidRequest, 'The content type must be application/json', { httpStatus: 415 });
      usage = new UsageOfRequest(admitted.usage);
      const body = await admitted.usage.readBody(request, usage.body);
      usage.results = admitted.usage.openResults(response);
      const { caller, profile, refreshPolicy } = admitted;
      // Awaited only if there is something to wait for.
      const serving = serveBody(body, request, response, { caller, profile, refreshPolicy, usage });
      if (serving) await serving;
    } catch (cause) {
      fail(request, response, cause);
    } finally {
      // `using` would cost more than the request's other objects: the build replaces it by a list of what to dispose.
      usage?.[Symbol.dispose]();
    }
  }

  function serveBody(
    body: unknown,
    request: IncomingMessage,
    response: ServerResponse,
    client: LegacyClient,
  ): Promise<void> | undefined {
    if (Array.isArray(body)) return postBatch(body, request, response, client);
    const message = withTraceContext(toMessage(body), request);
    if (claimsModernEra(message, request)) {
      if (message.kind === 'request') {
        const responder = createResponder(request, response, { serialized });
        return serveModern(message.request, { ...client, http: request }, responder, ports);
      }
      response.writeHead(202).end();
      return undefined;
    }
    if (message.kind === 'request' && message.request.method === 'initialize')
      return initialize(message.request, client, response, ports);
    const session = sessionOf(request, client, ports);
    if (session instanceof Promise)
      return session.then((loaded) => serveInSession(message, loaded, request, response, client));
    return serveInSession(message, session, request, response, client);
  }

  function serveInSession(
    message: RpcMessage,
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    client: LegacyClient,
  ): Promise<void> {
    if (message.kind !== 'request') return acceptLegacy(message, session, response);
    const { openStream } = session;
    const responder = createResponder(request, response, { serialized, cancelsOnDisconnect: false, open: openStream });
    return serveRequest(message.request, session, client, responder, ports);
  }

  async function acceptLegacy(
    message: Exclude<RpcMessage, { kind: 'request' }>,
    session: Session,
    response: ServerResponse,
  ): Promise<void> {
    await receiveLegacy(message, session, ports);
    response.writeHead(202).end();
  }

  function fail(request: IncomingMessage, response: ServerResponse, cause: unknown): void {
    sendRpcFailure(request, response, cause, (message) => log.error('mcp.failed', message));
  }

  /** Serves a batch, which exists only in revision 2025-03-26. */
  async function postBatch(
    batch: readonly unknown[],
    request: IncomingMessage,
    response: ServerResponse,
    client: LegacyClient,
  ): Promise<void> {
    const session = await sessionOf(request, client, ports);
    assertBatch(batch, session.facts.protocolVersion);
    const messages = batch.map((item) => withTraceContext(toMessage(item), request));
    const requests = messages.filter((message) => message.kind === 'request');
    for (const message of messages) if (message.kind !== 'request') await receiveLegacy(message, session, ports);
    if (requests.length === 0) {
      response.writeHead(202).end();
      return;
    }
    const stream = session.openStream(response, { stringify: serialized.stringify });
    const responder: Responder = {
      signal: neverAborts,
      stream: () => stream,
      send: stream.send,
      finish: (message) => stream.send(message),
    };
    await Promise.all(requests.map(({ request }) => serveRequest(request, session, client, responder, ports)));
    stream.end();
  }

  return {
    get open() {
      return { sessions: sessions.size, subscriptions: subscriptions.open };
    },
    serve: (request, response, client) =>
      request.method === 'POST' ? post(request, response, client) : serveOther(request, response, client),
    tasks: ports.tasks,
    viewOf: async (profile) => ports.viewFor({ profile }),
    close() {
      isClosed = true;
      ports.close();
    },
  };

  async function serveOther(request: IncomingMessage, response: ServerResponse, client: McpClient): Promise<void> {
    try {
      // The modern era supports only POST.
      if (request.headers['mcp-protocol-version'] === modernVersion) notAllowed(response, 'POST');
      else if (request.method === 'GET') {
        const session = await sessionOf(request, client, ports);
        serveStream(request, response, session, client.usage);
        // The request was accepted before the end.
        if (isClosed) for (const stream of session.streams) stream.end();
      } else if (request.method === 'DELETE') {
        await sessions.end((await sessionOf(request, client, ports)).facts);
        response.writeHead(200).end();
      } else notAllowed(response, 'GET, POST, DELETE');
    } catch (cause) {
      fail(request, response, cause);
    }
  }
}

/** A class, because every request has one: methods on a prototype cost nothing per request. */
class UsageOfRequest implements RequestUsage, Disposable {
  readonly #caller: CallerUsage;
  readonly body: Reservation;
  results: RequestResults | undefined;

  constructor(caller: CallerUsage) {
    this.#caller = caller;
    this.body = caller.reserve('request_bytes', 0);
  }

  reserve(...args: Parameters<CallerUsage['reserve']>): Reservation {
    return this.#caller.reserve(...args);
  }

  weighText(text: string): Promise<void> {
    return this.#caller.weighText(text);
  }

  get calls(): CallerUsage['calls'] {
    return this.#caller.calls;
  }

  [Symbol.dispose](): void {
    this.results?.[Symbol.dispose]();
    this.body[Symbol.dispose]();
  }
}

/** Answers a request that failed before it was processed. Unexpected errors are logged and not shown to the client. */
export function sendRpcFailure(
  request: IncomingMessage,
  response: ServerResponse,
  cause: unknown,
  logError: (message: string) => void,
): void {
  const isKnown = cause instanceof RpcError || cause instanceof ToolwharfError;
  if (!isKnown) logError(`A request failed: ${messageOf(cause)}`);
  const error =
    cause instanceof RpcError
      ? cause
      : cause instanceof ToolwharfError
        ? toAdmissionError(cause)
        : new RpcError(rpcCode.internal, 'Internal error', { httpStatus: 500 });
  const status = error.httpStatus === 200 ? 400 : error.httpStatus;
  const headers: Record<string, string> = { ...retryHeaders(error) };
  // The rest of a rejected body is not read.
  if (!request.complete) headers.connection = 'close';
  sendJson(response, status, toError(null, error), headers);
}

/** True if the body or the version header names the modern era. A body that does not match the header is rejected later. */
function claimsModernEra(message: RpcMessage, request: IncomingMessage): boolean {
  if (message.kind === 'response') return false;
  const params = message.kind === 'request' ? message.request.params : message.params;
  return isModern(params) || request.headers['mcp-protocol-version'] === modernVersion;
}

function notAllowed(response: ServerResponse, allow: string): void {
  response.writeHead(405, { allow }).end();
}

/** Copies the trace context from the HTTP header to `_meta`, where the server reads it. */
function withTraceContext(message: RpcMessage, { headers }: IncomingMessage): RpcMessage {
  const { traceparent } = headers;
  if (message.kind !== 'request' || typeof traceparent !== 'string') return message;
  const { params } = message.request;
  const meta = metaOf(params);
  if (meta.traceparent !== undefined) return message;
  return { kind: 'request', request: { ...message.request, params: { ...params, _meta: { ...meta, traceparent } } } };
}
