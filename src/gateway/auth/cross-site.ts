import type { IncomingMessage } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request with a cookie that changes something must come from our own page, or carry a header that no other page can send unasked. */
export function mayUseCookie(request: IncomingMessage): boolean {
  if (safeMethods.has(request.method ?? '') || hasOwnHeader(request)) return true;
  return isSameOrigin(request) === true;
}

/**
 * Without any credentials the browser needs no cookie to act for its user, so a page of another origin is held to what the browser
 * asks us about first: JSON, or our own header. Those questions we never answer.
 */
export function mayBeAnonymous(request: IncomingMessage): boolean {
  if (safeMethods.has(request.method ?? '') || hasOwnHeader(request)) return true;
  if (isSameOrigin(request) !== false) return true;
  return /^application\/json\b/i.test(request.headers['content-type'] ?? '') || request.method !== 'POST';
}

function hasOwnHeader({ headers }: IncomingMessage): boolean {
  return headers['x-toolwharf'] !== undefined;
}

/** Undefined where no browser says where the request is from. */
function isSameOrigin({ headers }: IncomingMessage): boolean | undefined {
  if (headers.origin === undefined) return undefined;
  const origin = URL.parse(headers.origin);
  // The scheme is not compared: what ends TLS in front of us speaks plain HTTP to us.
  const own = origin && URL.parse(`${origin.protocol}//${headers.host ?? ''}`);
  return own !== null && own !== undefined && own.host === origin?.host;
}
