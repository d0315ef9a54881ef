import type { FetchLike } from '@modelcontextprotocol/client';
import { isInsecureUrl } from '../../config/server-url.ts';
import { isLoopbackUrl } from '../http/https-rule.ts';
import { oauthFailed } from './oauth-errors.ts';

export interface OAuthFetchOptions {
  readonly server: string;
  readonly serverUrl: URL;
  readonly allowInsecure: boolean;
  readonly fetch: FetchLike;
  /** Time for one request; 30 000. */
  readonly timeoutMs?: number;
  /** The largest answer; 1 MiB. */
  readonly maxBytes?: number;
}

/** A fetch for metadata, registration and token endpoints: https or nothing, quick, small, and of its own headers only. */
export function createOAuthFetch(options: OAuthFetchOptions): FetchLike {
  const { server, fetch, timeoutMs = 30_000, maxBytes = 1024 * 1024 } = options;
  return async (input, init = {}) => {
    const url = assertSecureEndpoint(new URL(input), options);
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    try {
      const response = await fetch(url, { ...init, signal });
      const body = await readAll(response, maxBytes);
      if (body === undefined)
        throw oauthFailed(server, `${url.origin} answered with more than ${maxBytes} bytes; that is not OAuth`);
      return new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    } catch (cause) {
      if (deadline.aborted)
        throw oauthFailed(server, `${url.origin} did not answer within ${timeoutMs} ms. Try again later`);
      throw cause;
    }
  };
}

/**
 * The server chooses these addresses, so they get no more trust than it does: no plain http, and none on this machine
 * unless the server itself is here, or it could make us talk to what listens only locally.
 */
export function assertSecureEndpoint(
  url: URL,
  options: Pick<OAuthFetchOptions, 'server' | 'serverUrl' | 'allowInsecure'>,
): URL {
  const { server, serverUrl, allowInsecure } = options;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw oauthFailed(server, `it names an address of another kind than https ('${url.protocol}')`);
  }
  if (isInsecureUrl(url.href) && !allowInsecure) {
    throw oauthFailed(server, `it names '${url.origin}', which is plain http; authorization servers must offer https`);
  }
  if (isLoopbackUrl(url) && !isLoopbackUrl(serverUrl)) {
    throw oauthFailed(server, `it names '${url.origin}', an address on this machine, though it is somewhere else`);
  }
  return url;
}

/** The whole body, or undefined if it is larger. */
async function readAll(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null | undefined> {
  if (!response.body) return null;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
