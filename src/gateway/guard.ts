import type { IncomingMessage } from 'node:http';

export interface GuardOptions {
  /** Host names (without port) accepted in addition to loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Origins accepted in addition to the gateway's own. */
  readonly allowedOrigins?: readonly string[];
}

/** Returns why a request is rejected; undefined if it is allowed. */
export type Guard = (request: IncomingMessage) => string | undefined;

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
const maxCached = 100;

/** Checks `Host` and `Origin` to prevent DNS rebinding and cross-site requests. */
export function createGuard({ allowedHosts = [], allowedOrigins = [] }: GuardOptions = {}): Guard {
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
    return `Origin '${origin}' is not allowed`;
  };
}

function hostName(header: string | undefined): string | undefined {
  if (header === undefined || !URL.canParse(`http://${header}`)) return undefined;
  const url = new URL(`http://${header}`);
  return url.pathname === '/' && url.username === '' ? url.hostname : undefined;
}
