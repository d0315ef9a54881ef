import type { Server, ServerOptions } from 'node:http';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';

/** Listens on the address. Rejects with `CONFIG_INVALID` if it cannot be used. */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE';
      const message = isTaken ? `Port ${port} on ${host} is taken: choose another with --port` : messageOf(cause);
      reject(new ToolwharfError('CONFIG_INVALID', message, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** Limits the time in which a client has to send a whole request. */
export function timeoutsFor(requestTimeoutMs: number): ServerOptions {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.ceil(requestTimeoutMs / 2),
    connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 8),
    // Proxies and clients keep connections for up to a minute. They must close first, or a request could hit a closing connection.
    keepAliveTimeout: 65_000,
  };
}

/** The host names that clients send in `Host`: that of the listen address, unless it means all addresses, and of the public URL. */
export function ownHostNames(host: string, url?: string): readonly string[] {
  const own = host === '0.0.0.0' || host === '::' ? [] : [toUrlHost(host)];
  return url === undefined ? own : [...own, new URL(url).hostname];
}

/** Formats the address for a URL, with brackets around IPv6. */
export function toUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
