import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { fetchingOnce, postDirectly } from './http/direct-post.ts';
import { sendWithSignal } from './http/send-with-signal.ts';
import type { HttpAccess } from './http-access.ts';

/** A server over HTTP, by either of its two transports. `onBroken` is told of a stream that broke off, with what was asked for by it. */
export function createHttpTransport(
  kind: 'http' | 'sse',
  address: string,
  access: HttpAccess,
  onBroken: (body: unknown, cause: unknown) => void,
): StreamableHTTPClientTransport | SSEClientTransport {
  const url = new URL(address);
  const init = {
    fetch: fetchingOnce(access.fetch, onBroken),
    requestInit: { headers: access.headers },
    ...(access.authProvider && { authProvider: access.authProvider }),
  };
  if (kind === 'sse') return new SSEClientTransport(url, init);
  const transport = new StreamableHTTPClientTransport(url, {
    ...init,
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
  const { post, headers } = access;
  return post ? postDirectly(sendWithSignal(transport), { url, headers, post }) : sendWithSignal(transport);
}

/** Tells the server we are done with its session; one that is gone or slow is not waited for. */
export async function endHttpSession(transport: unknown): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const patience = new Promise<void>((resolve) => setTimeout(resolve, 1_000).unref());
  await Promise.race([transport.terminateSession().catch(() => {}), patience]);
}
