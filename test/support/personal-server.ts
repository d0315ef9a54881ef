import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PersonalServer extends AsyncDisposable {
  readonly url: string;
  /** The person of each token that is valid now. */
  readonly people: Map<string, string>;
  /** The tokens of all requests so far. */
  readonly seen: string[];
  /** Other descriptions of `whoami`, by person. */
  readonly descriptions: Map<string, string>;
  /** Resolves when the next call of `hold` has arrived. */
  held(): Promise<void>;
  /** Answers all held calls. */
  release(): void;
}

/** A legacy MCP server that knows people by their bearer tokens: `whoami` returns the person, `hold` waits for `release`. */
export async function startPersonalServer(people: Readonly<Record<string, string>>): Promise<PersonalServer> {
  const known = new Map(Object.entries(people));
  const seen: string[] = [];
  const descriptions = new Map<string, string>();
  const waiting: (() => void)[] = [];
  let arrived = Promise.withResolvers<void>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const person = known.get(token);
    const body = await text(request);
    if (person === undefined) return json(response, 401, {});
    if (request.method !== 'POST') return json(response, 405, {});
    seen.push(token);
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = await resultOf(method, params ?? {}, person);
    json(response, 200, { jsonrpc: '2.0', id, ...result });
  }

  async function resultOf(method: string, params: Record<string, unknown>, person: string) {
    switch (method) {
      case 'initialize': {
        const { protocolVersion } = params;
        const capabilities = { tools: {}, resources: { subscribe: true }, completions: {} };
        return { result: { protocolVersion, capabilities, serverInfo: { name: 'personal', version: '1' } } };
      }
      case 'tools/list': {
        const inputSchema = { type: 'object' };
        const description = descriptions.get(person) ?? 'Tells who calls';
        return {
          result: {
            tools: [
              { name: 'whoami', description, inputSchema },
              { name: 'hold', inputSchema },
            ],
          },
        };
      }
      case 'tools/call': {
        if (params.name === 'hold') await hold();
        return { result: { content: [{ type: 'text', text: person }] } };
      }
      case 'resources/list':
        return { result: { resources: [{ uri: `diary://${person}`, name: `The diary of ${person}` }] } };
      case 'resources/read':
        return { result: { contents: [{ uri: params.uri, text: `the diary of ${person}` }] } };
      case 'completion/complete':
        return { result: { completion: { values: [person] } } };
      case 'resources/subscribe':
      case 'resources/unsubscribe':
      case 'ping':
        return { result: {} };
      default:
        return { error: { code: -32601, message: 'unknown method' } };
    }
  }

  function hold(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      arrived.resolve();
      arrived = Promise.withResolvers();
    });
  }

  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    people: known,
    seen,
    descriptions,
    held: () => arrived.promise,
    release,
    async [Symbol.asyncDispose]() {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
