import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileConfig } from '../../config/config.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { InternalStartOptions } from '../../invocation/invoker.ts';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Caller } from '../../kernel/tool.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { EndedSessions } from '../fleet/ended-sessions.ts';
import type { CallerUsage } from '../limits/limits.ts';
import type { SharedTasks } from '../tasks/shared-tasks.ts';
import type { Traces } from '../traces/traces.ts';
import {
  initialize,
  type LegacyClient,
  receiveLegacy,
  serveLegacy,
  serveRequest,
  serveStream,
  sessionOf,
} from './legacy.ts';
import { isModern, serveModern } from './modern.ts';
import { createPorts } from './ports.ts';
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
  /** The tasks of all protocols; those of this endpoint by default. */
  readonly tasks?: SharedTasks;
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
  /** The number of open sessions and subscriptions. */
  readonly open: { readonly sessions: number; readonly subscriptions: number };
  /** Closes every stream. */
  close(): void;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { toolbox, log } = options;
  const ports = createPorts({
    toolbox,
    sessionKey: options.sessionKey,
    startWaitMs: options.startWaitMs,
    traces: options.traces,
    fleet: options.fleet,
    ended: options.ended,
    tasks: options.tasks,
  });
  const { sessions, subscriptions, serialized } = ports;

  async function post(request: IncomingMessage, response: ServerResponse, admitted: McpClient): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      throw new RpcError(rpcCode.invalidRequest, 'The content type must be application/json', { httpStatus: 415 });
    }
    const { usage } = admitted;
    // Returned when the request has been served, so every promise below is awaited.
    using reservation = usage.reserve('request_bytes', 0);
    const body = await usage.readBody(request, reservation);
    using results = usage.openResults(response);
    const client = { ...admitted, usage: { reserve: usage.reserve, calls: usage.calls, body: reservation, results } };
    if (Array.isArray(body)) return await postBatch(body, request, response, client);
    const message = withTraceContext(toMessage(body), request);
    if (claimsModernEra(message, request)) {
      if (message.kind === 'request')
        return await serveModern(
          message.request,
          { ...client, http: request },
          createResponder(request, response, { serialized }),
          ports,
        );
      response.writeHead(202).end();
      return;
    }
    if (message.kind === 'request' && message.request.method === 'initialize') {
      return await initialize(message.request, client, response, ports);
    }
    const session = await sessionOf(request, client, ports);
    const responder = createResponder(request, response, {
      serialized,
      cancelsOnDisconnect: false,
      open: session.openStream,
    });
    return await serveLegacy(message, session, client, responder, response, ports);
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
    async serve(request, response, client) {
      try {
        if (request.method === 'POST') await post(request, response, client);
        // The modern era supports only POST.
        else if (request.headers['mcp-protocol-version'] === modernVersion) notAllowed(response, 'POST');
        else if (request.method === 'GET')
          serveStream(request, response, await sessionOf(request, client, ports), client.usage);
        else if (request.method === 'DELETE') {
          await sessions.end((await sessionOf(request, client, ports)).facts);
          response.writeHead(200).end();
        } else notAllowed(response, 'GET, POST, DELETE');
      } catch (cause) {
        sendRpcFailure(request, response, cause, (message) => log.error('mcp.failed', message));
      }
    },
    viewOf: (profile) => ports.viewFor({ profile }),
    close: ports.close,
  };
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
