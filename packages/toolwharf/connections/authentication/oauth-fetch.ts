import type { FetchLike } from '@modelcontextprotocol/client';
import { isRefusedUrl, type UrlSecurity } from '../../../contract/settings/server-url.ts';
import { isLoopbackUrl } from '../http/secure-url.ts';
import { oauthFailed } from './oauth-errors.ts';

export interface OAuthFetchOptions {
  readonly server: string;
  readonly serverUrl: URL;
  readonly security: UrlSecurity;
  readonly fetch: FetchLike;
  /** Limit for one request; default 30 000. */
  readonly timeoutMs?: number;
  /** Limit for one response; default 1 MiB. */
  readonly maxBytes?: number;
}

/** A `fetch` for metadata, registration and token endpoints: https only, limited in time and size. */
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
        throw oauthFailed(server, `the response of ${url.origin} is larger than ${maxBytes} bytes`);
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
 * Checks a URL that the server chose: no plain http, and no address on this machine unless the server itself is on it.
 * Otherwise a server could make us send requests to local services.
 */
export function assertSecureEndpoint(
  url: URL,
  options: Pick<OAuthFetchOptions, 'server' | 'serverUrl' | 'security'>,
): URL {
  const { server, serverUrl, security } = options;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw oauthFailed(server, `it refers to a URL that is not https ('${url.protocol}')`);
  }
  if (isRefusedUrl(url.href, security)) {
    throw oauthFailed(
      server,
      `it refers to '${url.origin}', which is plain http; authorization servers must use https`,
    );
  }
  if (isLoopbackUrl(url) && !isLoopbackUrl(serverUrl)) {
    throw oauthFailed(server, `it refers to '${url.origin}', an address on this machine, though it is on another one`);
  }
  return url;
}

/** The whole body; undefined if it is larger. */
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
