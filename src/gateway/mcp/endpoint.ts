import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileConfig } from '../../config/config.ts';
import type { InternalStartOptions } from '../../invocation/invoker.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Caller } from '../../kernel/tool.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { Traces } from '../traces/traces.ts';
import { initialize, serveLegacy, serveStream, sessionOf } from './legacy.ts';
import { isModern, serveModern } from './modern.ts';
import { createPorts } from './ports.ts';
import { readJson } from './read-body.ts';
import { createResponder, sendJson } from './responder.ts';
import { metaOf, modernVersion, RpcError, type RpcMessage, rpcCode, toError, toMessage } from './rpc.ts';

export interface McpEndpointOptions {
  readonly toolbox: InternalToolbox;
  readonly log: Log;
  /** 32 bytes that encrypt session ids. All replicas use the same key, and it survives restarts. */
  readonly sessionKey: Buffer;
  /** Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  readonly startWaitMs?: number;
  readonly traces?: Traces;
}

/** The authenticated caller and its profile. */
export interface McpClient {
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** Reloads the policy for a call that has waited. Rejects if the caller has lost its access. */
  readonly refreshPolicy?: InternalStartOptions['refreshPolicy'];
}

/** The aggregated MCP endpoint over HTTP. It serves both protocol eras at one URL. */
export interface McpEndpoint {
  serve(request: IncomingMessage, response: ServerResponse, client: McpClient): Promise<void>;
  /** The number of open sessions and subscriptions. */
  readonly open: { readonly sessions: number; readonly subscriptions: number };
  /** Closes every stream. */
  close(): void;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { toolbox, log, maxBodyBytes = 4 * 1024 * 1024 } = options;
  const ports = createPorts({
    toolbox,
    sessionKey: options.sessionKey,
    startWaitMs: options.startWaitMs,
    traces: options.traces,
  });
  const { sessions, subscriptions, serialized } = ports;

  async function post(request: IncomingMessage, response: ServerResponse, client: McpClient): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      throw new RpcError(rpcCode.invalidRequest, 'The content type must be application/json', { httpStatus: 415 });
    }
    const body = await readJson(request, maxBodyBytes);
    if (Array.isArray(body))
      throw new RpcError(rpcCode.invalidRequest, 'Batches are not taken: send one message at a time', {
        httpStatus: 400,
      });
    const message = withTraceContext(toMessage(body), request);
    if (saysModern(message, request)) {
      if (message.kind === 'request')
        return serveModern(
          message.request,
          { ...client, http: request },
          createResponder(request, response, { serialized }),
          ports,
        );
      response.writeHead(202).end();
      return;
    }
    if (message.kind === 'request' && message.request.method === 'initialize') {
      return initialize(message.request, client, response, ports);
    }
    const session = sessionOf(request, client, ports);
    const responder = createResponder(request, response, { serialized, cancelsOnDisconnect: false });
    return serveLegacy(message, session, client, responder, response, ports);
  }

  return {
    get open() {
      return { sessions: [...sessions.all()].length, subscriptions: subscriptions.open };
    },
    async serve(request, response, client) {
      try {
        if (request.method === 'POST') await post(request, response, client);
        // The modern era supports only POST.
        else if (request.headers['mcp-protocol-version'] === modernVersion) notAllowed(response, 'POST');
        else if (request.method === 'GET') serveStream(request, response, sessionOf(request, client, ports));
        else if (request.method === 'DELETE') {
          sessions.end(sessionOf(request, client, ports).facts);
          response.writeHead(200).end();
        } else notAllowed(response, 'GET, POST, DELETE');
      } catch (cause) {
        if (!(cause instanceof RpcError)) log.error('mcp.failed', `A request failed: ${messageOf(cause)}`);
        const error =
          cause instanceof RpcError ? cause : new RpcError(rpcCode.internal, 'Internal error', { httpStatus: 500 });
        sendJson(response, error.httpStatus === 200 ? 400 : error.httpStatus, toError(null, error));
      }
    },
    close: ports.close,
  };
}

/** True if the body or the version header names the modern era. A body that does not match the header is rejected later. */
function saysModern(message: RpcMessage, request: IncomingMessage): boolean {
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
