import type { IncomingMessage } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request with a cookie may change state only from our own origin, or with a custom header, which forces a CORS preflight. */
export function isCookieAllowed(request: IncomingMessage): boolean {
  if (safeMethods.has(request.method ?? '') || hasOwnHeader(request)) return true;
  return isSameOrigin(request) === true;
}

/**
 * A request without credentials may change state from another origin only if the browser sends a CORS preflight for it (JSON body or
 * custom header). The gateway never approves preflights, so browsers block such requests.
 */
export function isAnonymousAllowed(request: IncomingMessage): boolean {
  if (safeMethods.has(request.method ?? '') || hasOwnHeader(request)) return true;
  if (isSameOrigin(request) !== false) return true;
  return /^application\/json\b/i.test(request.headers['content-type'] ?? '') || request.method !== 'POST';
}

/**
 * Whether a page of another origin makes a browser read from here, as with an image or a link. Such a request must not act
 * for the visitor: reading a resource may have effects on its server.
 */
export function isForeignRead(request: IncomingMessage, allowedOrigins: readonly string[]): boolean {
  if (!safeMethods.has(request.method ?? '') || hasOwnHeader(request)) return false;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined) return isSameOrigin(request) === false && !allowedOrigins.includes(origin);
  return site === 'cross-site' || site === 'same-site';
}

function hasOwnHeader({ headers }: IncomingMessage): boolean {
  return headers['x-toolwharf'] !== undefined;
}

/** Undefined if the request has no `Origin` header. */
function isSameOrigin({ headers }: IncomingMessage): boolean | undefined {
  if (headers.origin === undefined) return undefined;
  const origin = URL.parse(headers.origin);
  // The scheme is not compared, because a TLS-terminating proxy forwards plain HTTP.
  const own = origin && URL.parse(`${origin.protocol}//${headers.host ?? ''}`);
  return own !== null && own !== undefined && own.host === origin?.host;
}
