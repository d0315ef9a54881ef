import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { JwtConfig } from '../../../contract/settings/gateway-config.ts';
import { hashApiKey } from '../../../toolwharf/storage/ports/key-store.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { isAnonymousAllowed, isCookieAllowed, isForeignRead, isLoopback } from '../http/guard.ts';
import { isSameSecret } from './admin-token.ts';
import { createApiKeys } from './api-keys.ts';
import type { SessionHolder } from './app-sessions.ts';
import { createConfiguredAddress } from './client-address.ts';
import { type Authenticate, everyPermission, type Identity, localCallerId } from './identity.ts';
import { createJwtVerifier, type JwtVerifier, looksLikeJwt } from './jwt.ts';
import { readSessionCookie } from './session-cookie.ts';
import { createSignInThrottle, type SignInThrottleOptions } from './sign-in-throttle.ts';
import { createUsers } from './users.ts';

export type AuthenticateParts = Pick<GatewayParts, 'toolbox' | 'storage' | 'log' | 'security' | 'process'>;

export interface AuthenticateOptions {
  readonly throttle?: SignInThrottleOptions;
}

/**
 * Authenticates a request by its bearer token (API key, identity provider's JWT or admin token), by the app's session cookie, or, if
 * authentication is not required, by its loopback connection. A request with an invalid bearer token is rejected, never treated as local.
 */
export function createAuthenticate(parts: AuthenticateParts, options: AuthenticateOptions = {}): Authenticate {
  const { toolbox, storage, log } = parts;
  const { adminToken, sessions, accessTokens, persons } = parts.security;
  const keys = createApiKeys({ store: storage.keys, access: storage, log });
  const clientAddress = createConfiguredAddress(toolbox);
  const users = createUsers({ store: storage.users, roles: storage.roles, log });
  const throttle = createSignInThrottle({ store: storage.fleet?.limits, ...options.throttle });
  // Parsing `Host` as a URL is the most expensive step here, and its value hardly ever changes.
  let lastLoopbackHost: string | undefined;
  let jwt: { readonly config: JwtConfig; readonly verifier: JwtVerifier } | undefined;

  function jwtVerifier(): JwtVerifier | undefined {
    const config = toolbox.config.gateway.jwt;
    if (!config) return undefined;
    if (jwt?.config !== config) jwt = { config, verifier: createJwtVerifier(config) };
    return jwt.verifier;
  }

  async function identifyToken(token: string, request: IncomingMessage): Promise<Identity | undefined> {
    if (adminToken !== undefined && isSameSecret(token, adminToken)) return administrator;
    if (looksLikeJwt(token)) {
      // With one provider for both, tokens for other audiences are those of programs.
      const identity = accessTokens.isMeant(token) ? await accessTokens.verify(token, request) : undefined;
      return identity ?? verifyJwt(token);
    }
    return keys.find(token);
  }

  async function verifyJwt(token: string): Promise<Identity | undefined> {
    const identity = await jwtVerifier()?.verify(token);
    if (!identity || !(await persons.isDisabled(identity.caller.id))) return identity;
    throw new ToolwharfError('FORBIDDEN', 'You have no access to this gateway: ask an administrator');
  }

  /** Verifies the token first, so that a valid one is never rejected because others failed. */
  async function identifyHeader(header: string, request: IncomingMessage): Promise<Identity | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
    const identity = await identifyToken(token, request);
    if (identity) return identity;
    const address = clientAddress(request);
    const { retryAfterMs, isFirst } = await throttle.fail(address, hashApiKey(token));
    if (isFirst) log.info('auth.failed', 'A request had invalid credentials', { address });
    if (retryAfterMs <= 0) return undefined;
    const message = `Too many invalid credentials from ${address}; try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
    throw new ToolwharfError('RATE_LIMITED', message, { data: { retryAfterMs } });
  }

  async function identifySession(session: string, request: IncomingMessage): Promise<Identity | undefined> {
    const holder = sessions.find(session);
    if (!holder) return undefined;
    const identity = await identifyHolder(holder, request);
    if (identity && !isCookieAllowed(request)) throw crossSiteError();
    return identity;
  }

  async function identifyHolder(holder: SessionHolder, request: IncomingMessage): Promise<Identity | undefined> {
    switch (holder.kind) {
      case 'admin':
        return administrator;
      case 'key':
        return keys.findById(holder.id);
      case 'user':
        return users.findForSession(holder.id, holder.version);
      case 'local':
        return identifyLoopback(request);
    }
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

  return (request) => {
    const { authorization } = request.headers;
    // `Bearer $KEY` with an unset variable carries no credentials.
    const hasCredentials = authorization !== undefined && !/^Bearer *$/i.test(authorization);
    if (hasCredentials) return identifyHeader(authorization, request);
    // The browser sends such a request without its user's intention.
    if (isForeignRead(request, toolbox.config.gateway.allowedOrigins)) return undefined;
    const session = readSessionCookie(request);
    // An expired cookie is ignored: scripts cannot delete an HttpOnly cookie.
    if (session === undefined) return identifyLoopback(request);
    return identifySession(session, request).then((identity) => identity ?? identifyLoopback(request));
  };
}

const administrator: Identity = {
  caller: { id: 'admin', kind: 'person', name: 'Administrator' },
  permissions: everyPermission,
  via: 'admin-token',
};

const local: Identity = {
  caller: { id: localCallerId, kind: 'client' },
  // A connection from this machine alone does not prove who asks for a program to be run.
  permissions: new Set([...everyPermission].filter((permission) => permission !== 'servers.run-programs')),
  via: 'loopback',
};

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

function crossSiteError(): ToolwharfError {
  const message = 'Cross-origin request rejected: use the web app of this gateway, or send the header x-toolwharf';
  return new ToolwharfError('FORBIDDEN', message);
}
