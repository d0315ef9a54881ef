import { createServer, type ServerResponse } from 'node:http';
import { listenLocally } from './listen.ts';

/** An MCP server over HTTP, in this process. Its tool `work` ignores cancellation and answers once the test lets it. */
export interface DeafHttp extends AsyncDisposable {
  readonly url: string;
  /** The names of the calls that it has received. */
  readonly begun: readonly string[];
  /** The methods of all its messages. */
  readonly methods: readonly string[];
  /** How many calls it received on connections that the client has closed since. */
  readonly closed: number;
  /** Answers the calls that it has received, and all later ones at once. */
  answer(): void;
  /** Closes the connections of the calls that it has received, without an answer. */
  drop(): void;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly name: string } };
}

export async function startDeafHttp(): Promise<DeafHttp> {
  const begun: string[] = [];
  const methods: string[] = [];
  const gate = Promise.withResolvers<void>();
  const unanswered = new Set<ServerResponse>();
  let closed = 0;

  /** What each result of the modern era has. */
  const own = {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'deaf', version: '1.0.0' } },
  };

  async function resultOf({ method, params }: Message): Promise<object> {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'deaf', version: '1.0.0' },
      };
    if (method === 'server/discover') return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...own };
    if (method === 'tools/list') return { tools: [{ name: 'work', inputSchema: { type: 'object' } }], ...own };
    if (method !== 'tools/call') return {};
    const name = String(params?.arguments?.name);
    begun.push(name);
    await gate.promise;
    return { content: [{ type: 'text', text: name }], ...own };
  }

  function send(response: ServerResponse, status: number, body?: object): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
  }

  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    if (request.method !== 'POST') return send(response, 405);
    let text = '';
    for await (const part of request) text += part;
    const message = JSON.parse(text) as Message;
    methods.push(message.method);
    if (message.id === undefined) return send(response, 202);
    if (message.method === 'tools/call') {
      unanswered.add(response);
      response.on('close', () => {
        if (!response.writableEnded) closed++;
      });
    }
    send(response, 200, { jsonrpc: '2.0', id: message.id, result: await resultOf(message) });
  });
  const { url, ...listening } = await listenLocally(server);
  return {
    url: `${url}/mcp`,
    begun,
    methods,
    get closed() {
      return closed;
    },
    answer: gate.resolve,
    drop() {
      for (const response of unanswered) response.destroy();
    },
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await listening[Symbol.asyncDispose]();
    },
  };
}
