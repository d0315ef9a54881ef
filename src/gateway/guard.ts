import type { IncomingMessage } from 'node:http';

export interface GuardOptions {
  /** Host names, without port, that reach us besides this machine's own. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may talk to us besides our own. */
  readonly allowedOrigins?: readonly string[];
}

/** Why a request is turned away; undefined for one that may pass. */
export type Guard = (request: IncomingMessage) => string | undefined;

const own = new Set(['localhost', '127.0.0.1', '[::1]']);
const maxPassed = 100;

/** Against pages that reach us under a name of their own (DNS rebinding), and pages of other sites. */
export function createGuard({ allowedHosts = [], allowedOrigins = [] }: GuardOptions = {}): Guard {
  const hosts = new Set([...own, ...allowedHosts.map((host) => host.toLowerCase())]);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  // Clients say the same on every request, and reading a URL costs more than the rest of this.
  const passed = new Set<string>();

  function isAllowed(header: string | undefined): boolean {
    if (header !== undefined && passed.has(header)) return true;
    const host = hostName(header);
    if (header === undefined || host === undefined || !hosts.has(host)) return false;
    if (passed.size < maxPassed) passed.add(header);
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
