import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export interface GuardOptions {
  /** Host names (without port) accepted in addition to loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Origins accepted in addition to the gateway's own. */
  readonly allowedOrigins?: readonly string[];
  /** Paths that pages of any origin may read. A request from there never acts for the visitor (`isForeignRead`). */
  readonly publicPaths?: readonly RegExp[];
}

/** Returns why a request is rejected; undefined if it is allowed. */
export type Guard = (request: IncomingMessage) => string | undefined;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
// Requests repeat the same few addresses.
const knownAddresses = new Map<string, boolean>();
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
const maxCached = 100;

/** Checks `Host` and `Origin` to prevent DNS rebinding and cross-site requests. */
export function createGuard({ allowedHosts = [], allowedOrigins = [], publicPaths = [] }: GuardOptions = {}): Guard {
  const hosts = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())]);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  // Clients repeat the same `Host`, and parsing a URL is the most expensive step here.
  const allowedHeaders = new Set<string>();

  function isAllowed(header: string | undefined): boolean {
    if (header !== undefined && allowedHeaders.has(header)) return true;
    const host = hostName(header);
    if (header === undefined || host === undefined || !hosts.has(host)) return false;
    if (allowedHeaders.size < maxCached) allowedHeaders.add(header);
    return true;
  }

  return (request) => {
    const { host, origin } = request.headers;
    if (!isAllowed(host)) return `Host '${host ?? ''}' is not allowed`;
    if (origin === undefined || origins.has(origin.toLowerCase())) return undefined;
    if (URL.canParse(origin) && hosts.has(new URL(origin).hostname)) return undefined;
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    if (safeMethods.has(request.method ?? '') && publicPaths.some((pattern) => pattern.test(path))) return undefined;
    return `Origin '${origin}' is not allowed`;
  };
}

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

/** The scheme that the client used: this process, or a reverse proxy before it, terminates TLS. */
export function schemeOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): 'http' | 'https' {
  return isEncrypted(socket) || headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
}

/** Whether this process terminates the TLS of a connection. */
export function isEncrypted(socket: IncomingMessage['socket']): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

/** True for a loopback address or `localhost`. */
export function isLoopback(host: string): boolean {
  const cached = knownAddresses.get(host);
  if (cached !== undefined) return cached;
  const answer = checkLoopback(host);
  if (knownAddresses.size < maxCached) knownAddresses.set(host, answer);
  return answer;
}

function hostName(header: string | undefined): string | undefined {
  if (header === undefined || !URL.canParse(`http://${header}`)) return undefined;
  const url = new URL(`http://${header}`);
  return url.pathname === '/' && url.username === '' ? url.hostname : undefined;
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

function checkLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  const kind = isIP(name);
  return kind !== 0 && loopback.check(name, kind === 6 ? 'ipv6' : 'ipv4');
}
