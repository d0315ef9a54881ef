import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { messageOf } from '../../../../contract/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../../../contract/json.ts';
import { listenMethod } from '../../../../gateway/core/mcp/rpc.ts';
import { untilDisconnected } from '../../../../gateway/core/mcp/stdio-client.ts';
import { createPoolFetch } from '../../../../toolwharf/connections/http/pool-fetch.ts';
import { claimedVersion } from '../../../../toolwharf/connections/http/request-headers.ts';
import { createStreamableHttpTransport } from '../../../../toolwharf/connections/http/streamable-http-transport.ts';
import { createNotificationThrottle } from '../../../../toolwharf/connections/notification-throttle.ts';
import { findParamHeaders, type ParamHeader, toParamHeaders } from '../../../../toolwharf/connections/param-headers.ts';
import { createLineReader } from '../../../../toolwharf/connections/stdio/line-reader.ts';
import { parseJson, toJsonText, toLine } from '../../../../toolwharf/kernel/exact-json.ts';
import { type FindGateway, followGateway } from './follow-gateway.ts';

export interface ProxyOptions {
  /** The gateway's MCP endpoint. */
  readonly url: URL;
  readonly token?: string;
  /** The admin token of the gateway's data directory; undefined for another gateway, named by `--url`. */
  readonly adminToken?: string;
  /** Finds the gateway of the data directory again after a restart. */
  readonly find: FindGateway;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

type RequestId = string | number;

const maxMessageBytes = 64 * 1024 * 1024;
const keepAliveMs = 20_000;
const internalError = -32_603;
const parseError = -32_700;

/** Passes every message between a client on stdin and stdout and the gateway, in both eras, until the client disconnects. */
export async function proxyStdio({ url, token, adminToken, find, input, output, signal }: ProxyOptions): Promise<void> {
  // A call that waits for approval may take longer than any timeout.
  const timeouts = { headersTimeoutMs: 0, bodyTimeoutMs: 0 };
  const pool =
    adminToken === undefined ? createPoolFetch(timeouts) : followGateway(timeouts, { adminToken, find, signal });
  const transport = createStreamableHttpTransport(url, {
    ...pool,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    throttle: createNotificationThrottle(),
  });
  /** Ends the HTTP request of each pending request, which cancels it in the modern era. */
  const pending = new Map<RequestId, AbortController>();
  /** The pending requests of the modern era. */
  const modern = new WeakSet<AbortController>();
  /** The requests that the client waits for, also before they are sent. */
  const unanswered = new Set<RequestId>();
  const toolHeaders = createToolHeaders();
  /** The pending `tools/list` requests: those of the client, and those of the proxy with the handler of their reply. */
  const lists = new Map<RequestId, ((result: unknown) => void) | undefined>();
  let ownRequests = 0;
  let initializeId: RequestId | undefined;
  let initialized: Promise<void> = Promise.resolve();

  const write = (message: object) => void output.write(`${toLine(toJsonText(message))}\n`);

  function settle(id: RequestId): boolean {
    unanswered.delete(id);
    return pending.delete(id);
  }

  function fail(id: RequestId, cause: unknown): void {
    if (!settle(id)) return;
    write({ jsonrpc: '2.0', id, error: { code: internalError, message: messageOf(cause) } });
  }

  transport.onmessage = (message) => {
    const { id, method, result } = message as JsonObject;
    const isReply = method === undefined && id !== undefined;
    if (isReply && id === initializeId && isObject(result) && typeof result.protocolVersion === 'string') {
      transport.setProtocolVersion?.(result.protocolVersion);
    }
    if (method === 'notifications/tools/list_changed') toolHeaders.clear();
    if (isReply && lists.has(id as RequestId)) {
      const onList = lists.get(id as RequestId);
      lists.delete(id as RequestId);
      toolHeaders.readList(result);
      if (onList) return onList(result);
    }
    if (isReply) settle(id as RequestId);
    write(message);
  };

  async function forward(message: JsonObject): Promise<void> {
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined && method !== listenMethod) unanswered.add(id as RequestId);
    if (method === 'notifications/cancelled' && isObject(params)) {
      const request = pending.get(params.requestId as RequestId);
      // A cancelled request gets no answer.
      unanswered.delete(params.requestId as RequestId);
      // In the modern era, closing the response is the cancellation.
      if (request && modern.has(request)) return request.abort();
    }
    if (method === 'initialize' && id !== undefined) {
      initialized = sendRequest(message, id as RequestId);
      return initialized;
    }
    // The session exists once initialize is answered.
    await initialized;
    if (method === undefined || id === undefined) await transport.send(message as unknown as JSONRPCMessage);
    else await sendRequest(message, id as RequestId);
  }

  async function sendRequest(message: JsonObject, id: RequestId): Promise<void> {
    const cancel = new AbortController();
    pending.set(id, cancel);
    if (message.method === 'initialize') initializeId = id;
    const isModern = claimedVersion(message.params) !== undefined;
    if (isModern) modern.add(cancel);
    if (isModern && message.method === 'tools/list') lists.set(id, undefined);
    try {
      const headers = isModern && message.method === 'tools/call' ? await headersOf(message.params) : undefined;
      await transport.send(message as unknown as JSONRPCMessage, {
        headers,
        requestSignal: cancel.signal,
        onRequestStreamEnd: () => fail(id, new Error('The gateway ended the response without a result')),
      });
    } catch (cause) {
      if (cancel.signal.aborted) settle(id);
      else fail(id, cause);
    }
  }

  /** The headers that the tool of a call declares. Lists the tools first if the client has not. */
  async function headersOf(params: unknown): Promise<Record<string, string> | undefined> {
    const { name, _meta } = isObject(params) ? params : {};
    const { progressToken: _, ...meta } = isObject(_meta) ? _meta : {};
    for (let cursor: unknown; !toolHeaders.has(name); ) {
      const page = await listTools({ cursor, _meta: meta });
      cursor = isObject(page) ? page.nextCursor : undefined;
      if (cursor === undefined) break;
    }
    return toolHeaders.of(params);
  }

  async function listTools(params: object): Promise<unknown> {
    const id = `toolwharf-${++ownRequests}`;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    lists.set(id, resolve);
    const message = { jsonrpc: '2.0', id, method: 'tools/list', params } as JSONRPCMessage;
    await transport.send(message, { onRequestStreamEnd: () => resolve(undefined) });
    return promise;
  }

  const lines = createLineReader({
    maxBytes: maxMessageBytes,
    onLine(line) {
      const message = parse(line);
      if (message) forward(message).catch(() => {});
      else
        write({ jsonrpc: '2.0', id: null, error: { code: parseError, message: 'The line is not a JSON-RPC message' } });
    },
    onOversize: ({ bytes }) =>
      write({ jsonrpc: '2.0', id: null, error: { code: parseError, message: `${bytes} bytes are too large` } }),
  });
  // A gateway that was started for this client stops when no client is connected to it.
  const keepAlive = setInterval(() => {
    pool.fetch(new URL('/healthz', url)).then(
      (response) => response.text(),
      () => {},
    );
  }, keepAliveMs);

  input.on('data', (chunk: Buffer) => lines.push(chunk));
  await untilDisconnected({ input, output, signal, isAnswered: () => unanswered.size === 0 });
  clearInterval(keepAlive);
  for (const request of pending.values()) request.abort();
  await transport.terminateSession();
  await transport.close();
  await pool.close();
}

function parse(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments that tools declare with `x-mcp-header`: over HTTP they are repeated in headers, over stdio they are not. */
interface ToolHeaders {
  /** Reads the declarations from the result of `tools/list`. */
  readList(result: unknown): void;
  /** Discards the declarations, because the tools have changed. */
  clear(): void;
  has(tool: unknown): boolean;
  /** The headers of a call; undefined if there are none. */
  of(params: unknown): Record<string, string> | undefined;
}

/** Creates an empty collection. */
function createToolHeaders(): ToolHeaders {
  const declared = new Map<unknown, readonly ParamHeader[]>();
  const none: readonly ParamHeader[] = [];
  return {
    readList(result) {
      const tools = isObject(result) && Array.isArray(result.tools) ? result.tools : [];
      for (const tool of tools.filter(isObject)) {
        const found = findParamHeaders((tool.inputSchema ?? {}) as JsonSchema);
        declared.set(tool.name, found.ok && found.headers.length > 0 ? found.headers : none);
      }
    },
    clear: () => declared.clear(),
    has: (tool) => declared.has(tool),
    of(params) {
      const { name, arguments: args } = (isObject(params) ? params : {}) as JsonObject;
      const headers = declared.get(name) ?? none;
      return headers.length === 0 ? undefined : toParamHeaders(headers, isObject(args) ? args : {});
    },
  };
}
