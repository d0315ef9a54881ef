import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SinkMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare messages of several formats.
  readonly body: any;
}

export interface MessageSink extends AsyncDisposable {
  readonly url: string;
  /** The JSON messages that were posted to a path. */
  at(path: string): readonly SinkMessage[];
}

/** An HTTP server that takes JSON messages, as those of Slack, Teams and programs do. */
export async function startMessageSink(): Promise<MessageSink> {
  const messages: SinkMessage[] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    messages.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(body) });
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at: (path) => messages.filter((message) => message.path === path),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
