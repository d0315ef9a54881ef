import type { IncomingMessage } from 'node:http';
import type { JwtConfig } from '../../config/config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import { hashApiKey } from '../../storage/ports/key-store.ts';
import type { GatewayParts } from '../gateway.ts';
import { isSameSecret } from './admin-token.ts';
import { createApiKeys } from './api-keys.ts';
import { isAnonymousAllowed, isCookieAllowed } from './cross-site.ts';
import { createFailedAttempts, type FailedAttemptsOptions } from './failed-attempts.ts';
import type { Authenticate, Identity } from './identity.ts';
import { createJwtVerifier, type JwtVerifier, looksLikeJwt } from './jwt.ts';
import { isLoopback } from './loopback.ts';
import { readSessionCookie } from './session-cookie.ts';

export type AuthenticateParts = Pick<GatewayParts, 'toolbox' | 'storage' | 'log' | 'security' | 'process'>;

export interface AuthenticateOptions {
  /** How many invalid credentials one address may send; 20 per minute. */
  readonly failures?: FailedAttemptsOptions;
}

/**
 * Authenticates a request by its bearer token (API key, identity provider's JWT or admin token), by the app's session cookie, or, if
 * authentication is not required, by its loopback connection. A request with an invalid bearer token is rejected, never treated as local.
 */
export function createAuthenticate(parts: AuthenticateParts, options: AuthenticateOptions = {}): Authenticate {
  const { toolbox, storage, log } = parts;
  const { adminToken, sessions } = parts.security;
  const keys = createApiKeys({ store: storage.keys, log });
  const failures = createFailedAttempts(options.failures);
  const verifiedTokens = createRecentSet(1_000);
  // Parsing `Host` as a URL is the most expensive step here, and its value hardly ever changes.
  let lastLoopbackHost: string | undefined;
  let jwt: { readonly config: JwtConfig; readonly verifier: JwtVerifier } | undefined;

  function jwtVerifier(): JwtVerifier | undefined {
    const config = toolbox.config.gateway.jwt;
    if (!config) return undefined;
    if (jwt?.config !== config) jwt = { config, verifier: createJwtVerifier(config) };
    return jwt.verifier;
  }

  async function identifyToken(token: string): Promise<Identity | undefined> {
    if (adminToken !== undefined && isSameSecret(token, adminToken)) return administrator;
    if (looksLikeJwt(token)) return jwtVerifier()?.verify(token);
    return keys.find(token);
  }

  async function identifyHeader(header: string, request: IncomingMessage): Promise<Identity | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
    const address = request.socket.remoteAddress ?? '';
    const hash = hashApiKey(token);
    // A token that was valid before is not locked out when someone else guesses from the same address.
    if (!verifiedTokens.has(hash)) assertMayTry(address);
    const identity = await identifyToken(token);
    if (identity) {
      verifiedTokens.add(hash);
      return identity;
    }
    failures.record(address);
    log.info('auth.failed', 'A request had invalid credentials', { address });
    assertMayTry(address);
    return undefined;
  }

  function assertMayTry(address: string): void {
    const retryAfterMs = failures.retryAfterMs(address);
    if (retryAfterMs <= 0) return;
    const message = `Too many invalid credentials from ${address}; try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
    throw new ToolwharfError('RATE_LIMITED', message, { data: { retryAfterMs } });
  }

  async function identifySession(session: string, request: IncomingMessage): Promise<Identity | undefined> {
    const holder = sessions.find(session);
    if (!holder) return undefined;
    const identity =
      holder.kind === 'admin'
        ? administrator
        : holder.kind === 'key'
          ? await keys.findById(holder.id)
          : identifyLoopback(request);
    if (identity && !isCookieAllowed(request)) throw crossSiteError();
    return identity;
  }

  function isLoopbackHost(host: string): boolean {
    if (host === lastLoopbackHost) return true;
    if (!isLoopback(URL.parse(`http://${host}`)?.hostname ?? '')) return false;
    lastLoopbackHost = host;
    return true;
  }

  /** Identifies a request only if both ends of the connection are on this machine without a proxy between them. */
  function identifyLoopback(request: IncomingMessage): Identity | undefined {
    const { headers, socket } = request;
    if (toolbox.config.gateway.requireAuthentication || !isLoopback(parts.process.host)) return undefined;
    if (!isLoopback(socket.remoteAddress ?? '') || !isLoopbackHost(headers.host ?? '')) return undefined;
    // A proxy on this machine forwards requests of other machines.
    if (forwardingHeaders.some((name) => headers[name] !== undefined)) return undefined;
    if (!isAnonymousAllowed(request)) throw crossSiteError();
    return local;
  }

  return async (request) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) return identifyHeader(authorization, request);
    const session = readSessionCookie(request);
    // An expired cookie is ignored: scripts cannot delete an HttpOnly cookie.
    const holder = session === undefined ? undefined : await identifySession(session, request);
    return holder ?? identifyLoopback(request);
  };
}

const administrator: Identity = {
  caller: { id: 'admin', kind: 'person', name: 'Administrator' },
  isAdmin: true,
  via: 'admin-token',
};

const local: Identity = { caller: { id: 'local', kind: 'client' }, isAdmin: true, via: 'loopback' };

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

function crossSiteError(): ToolwharfError {
  const message = 'Cross-origin request rejected: use the web app of this gateway, or send the header x-toolwharf';
  return new ToolwharfError('FORBIDDEN', message);
}

/** A set that keeps the `max` most recently added texts. */
function createRecentSet(max: number): Pick<Set<string>, 'has' | 'add'> {
  const recent = new Set<string>();
  return {
    has: (text) => recent.has(text),
    add(text) {
      recent.delete(text);
      recent.add(text);
      evictOldest(recent, max);
      return recent;
    },
  };
}
