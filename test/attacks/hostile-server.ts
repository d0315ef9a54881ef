import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../packages/contract/json.ts';

export interface HostileServer extends AsyncDisposable {
  /** The URL of its MCP endpoint. */
  readonly url: string;
  readonly origin: string;
  /** Received requests, oldest first. */
  readonly seen: readonly SeenRequest[];
  /** Replaces the listed tools. */
  tools: readonly JsonObject[];
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HostileOptions {
  readonly tools?: readonly JsonObject[];
  /** The result of a call; by default a text with its arguments. */
  readonly onCall?: (params: JsonObject) => JsonObject;
  /** Answers a request itself; returns true if it did. */
  readonly intercept?: (request: SeenRequest, response: ServerResponse) => boolean;
  /** Replaces members of the result of `initialize`. */
  readonly initialize?: JsonObject;
  /** Modifies the messages it sends. */
  readonly reply?: (message: JsonObject) => unknown;
}

/** An MCP server over HTTP on loopback that can misbehave in every way. */
export async function startHostile(options: HostileOptions = {}): Promise<HostileServer> {
  const seen: SeenRequest[] = [];
  const state = { tools: options.tools ?? [{ name: 'echo', inputSchema: { type: 'object' } }] };

  function resultOf(method: unknown, params: JsonObject): JsonObject | undefined {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'hostile', version: '1' },
        ...options.initialize,
      };
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools: state.tools };
    if (method !== 'tools/call') return undefined;
    return options.onCall?.(params) ?? { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = '', url: path = '', headers } = request;
    const got: SeenRequest = { method, path, headers, body: Buffer.concat(parts).toString('utf8') };
    seen.push(got);
    if (options.intercept?.(got, response)) return;
    if (method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(got.body) as JsonObject;
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = resultOf(message.method, (message.params ?? {}) as JsonObject);
    const answer = result ? { result } : { error: { code: -32601, message: 'No such method' } };
    const said = { jsonrpc: '2.0', id: message.id, ...answer };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(options.reply ? options.reply(said) : said));
  }

  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    origin,
    url: `${origin}/mcp`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
