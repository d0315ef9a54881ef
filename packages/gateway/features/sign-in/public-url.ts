import type { IncomingMessage } from 'node:http';
import { isEncrypted, isLoopback } from '../../core/http/guard.ts';
import { toUrlHost } from '../../core/http/listen.ts';

/** The origin at which people and clients reach the gateway; undefined if it is not configured and not known. */
export type PublicUrl = (request: Pick<IncomingMessage, 'socket'>) => string | undefined;

export interface PublicUrlOptions {
  readonly settings: () => { readonly url?: string };
  /** The listen address. */
  readonly host: string;
}

/** `gateway.url`, or the listen address if it is on this machine. Never the `Host` header, which the client chooses. */
export function createPublicUrl({ settings, host }: PublicUrlOptions): PublicUrl {
  return ({ socket }) => {
    const { url } = settings();
    if (url !== undefined) return new URL(url).origin;
    return isLoopback(host)
      ? `${isEncrypted(socket) ? 'https' : 'http'}://${toUrlHost(host)}:${socket.localPort ?? 0}`
      : undefined;
  };
}
