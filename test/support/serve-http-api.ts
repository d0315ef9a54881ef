import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the API received. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ServedApi extends AsyncDisposable {
  readonly url: string;
  /** All requests so far, except health checks. */
  readonly requests: readonly ApiRequest[];
}

export type ApiAnswer = (request: ApiRequest, response: ServerResponse) => void;

/** An HTTP API on loopback with its OpenAPI document, if any, at `/openapi.json`; `answer` handles other requests. */
export async function serveHttpApi({
  document,
  answer = echo,
  port = 0,
}: {
  document?: unknown;
  answer?: ApiAnswer;
  port?: number;
} = {}): Promise<ServedApi> {
  const requests: ApiRequest[] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { method = '', url: path = '', headers } = incoming;
    if (method === 'HEAD') return void response.writeHead(404).end();
    const request = { method, path, headers, body };
    requests.push(request);
    if (document === undefined || path !== '/openapi.json') return answer(request, response);
    sendJson(response, document);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const echo: ApiAnswer = ({ method, path, body }, response) =>
  sendJson(response, { method, path, ...(body !== '' && { body: JSON.parse(body) }) });

/** A small OpenAPI 3.0 document. */
export const petsDocument = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1.2' },
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getPet',
        summary: 'One pet',
        parameters: [
          { name: 'fields', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
        ],
      },
    },
    '/pets': {
      post: {
        operationId: 'addPet',
        description: 'Adds a pet.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
      },
    },
    '/photos': {
      post: { operationId: 'addPhoto', requestBody: { required: true, content: { 'image/png': {} } } },
    },
  },
  components: {
    schemas: {
      Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string', nullable: true } } },
    },
  },
};
