import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer without stickiness. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/**
 * Forwards each request to the next of several addresses. An address that refuses the connection is skipped: the request
 * surely did not arrive there.
 */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  let next = 0;
  const server = createServer({ keepAliveTimeout: 600_000 }, async (incoming, outgoing) => {
    outgoing.on('error', () => {});
    const body = await readBody(incoming).catch(() => undefined);
    if (body !== undefined) forward(incoming, body, outgoing, urls.length);
  });

  function forward(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, triesLeft: number): void {
    const target = new URL(incoming.url ?? '/', urls[next++ % urls.length]);
    const { host: _host, ...headers } = incoming.headers;
    const forwarded = send(target, { method: incoming.method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ECONNREFUSED' && triesLeft > 1) forward(incoming, body, outgoing, triesLeft - 1);
      else outgoing.destroy();
    });
    outgoing.on('close', () => forwarded.destroy());
    forwarded.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
