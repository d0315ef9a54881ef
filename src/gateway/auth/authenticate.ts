import type { IncomingMessage } from 'node:http';
import type { JwtConfig } from '../../config/config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { hashApiKey } from '../../storage/ports/key-store.ts';
import type { GatewayParts } from '../gateway.ts';
import { isSameSecret } from './admin-token.ts';
import { createApiKeys } from './api-keys.ts';
import { mayBeAnonymous, mayUseCookie } from './cross-site.ts';
import { createFailures, type FailuresOptions } from './failures.ts';
import type { Authenticate, Identity } from './identity.ts';
import { createJwtVerifier, type JwtVerifier, looksLikeJwt } from './jwt.ts';
import { isLoopback } from './loopback.ts';
import { readSessionCookie } from './session-cookie.ts';

export type AuthenticateParts = Pick<GatewayParts, 'toolbox' | 'storage' | 'log' | 'host' | 'adminToken' | 'sessions'>;

export interface AuthenticateOptions {
  /** How many wrong keys one address may send; 20 a minute. */
  readonly failures?: FailuresOptions;
}

/**
 * Who a request is from: the bearer of a key, of an identity provider's token or of the admin token; the holder of a session of the
 * app; or, where nothing else is asked for, whoever is on this machine. What is sent and wrong is never taken for nothing.
 */
export function createAuthenticate(parts: AuthenticateParts, options: AuthenticateOptions = {}): Authenticate {
  const { toolbox, storage, log, adminToken, sessions } = parts;
  const keys = createApiKeys({ store: storage.keys, log });
  const failures = createFailures(options.failures);
  const knownGood = createRecent(1_000);
  // Reading a `Host` as a URL costs more than all else here, and it is the same one nearly always.
  let lastLocalHost: string | undefined;
  let jwt: { readonly config: JwtConfig; readonly verifier: JwtVerifier } | undefined;

  function jwtVerifier(): JwtVerifier | undefined {
    const config = toolbox.config.gateway.jwt;
    if (!config) return undefined;
    if (jwt?.config !== config) jwt = { config, verifier: createJwtVerifier(config) };
    return jwt.verifier;
  }

  async function byToken(token: string): Promise<Identity | undefined> {
    if (adminToken !== undefined && isSameSecret(token, adminToken)) return administrator;
    if (looksLikeJwt(token)) return jwtVerifier()?.verify(token);
    return keys.find(token);
  }

  async function byHeader(header: string, request: IncomingMessage): Promise<Identity | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
    const address = request.socket.remoteAddress ?? '';
    const hash = hashApiKey(token);
    // Those that were right before are not locked out by somebody else who guesses from the same address.
    if (!knownGood.has(hash)) refuseIfTooMany(address);
    const identity = await byToken(token);
    if (identity) {
      knownGood.add(hash);
      return identity;
    }
    failures.note(address);
    log.info('auth.failed', 'A request came with credentials that are not good', { address });
    refuseIfTooMany(address);
    return undefined;
  }

  function refuseIfTooMany(address: string): void {
    const retryAfterMs = failures.waitMs(address);
    if (retryAfterMs <= 0) return;
    const message = `Too many wrong keys came from ${address}; try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
    throw new ToolwharfError('RATE_LIMITED', message, { data: { retryAfterMs } });
  }

  async function byCookie(session: string, request: IncomingMessage): Promise<Identity | undefined> {
    const holder = sessions.find(session);
    if (!holder) return undefined;
    const identity = await holderOf();
    if (identity && !mayUseCookie(request)) throw crossSite();
    return identity;

    async function holderOf(): Promise<Identity | undefined> {
      if (holder?.kind === 'admin') return administrator;
      return holder?.kind === 'key' ? keys.findById(holder.id) : byPlace(request);
    }
  }

  function namesLoopback(host: string): boolean {
    if (host === lastLocalHost) return true;
    if (!isLoopback(URL.parse(`http://${host}`)?.hostname ?? '')) return false;
    lastLocalHost = host;
    return true;
  }

  /** Nobody, unless both ends of the connection are on this machine and nothing stands between them. */
  function byPlace(request: IncomingMessage): Identity | undefined {
    const { headers, socket } = request;
    if (toolbox.config.gateway.requireAuthentication || !isLoopback(parts.host)) return undefined;
    if (!isLoopback(socket.remoteAddress ?? '') || !namesLoopback(headers.host ?? '')) return undefined;
    // A proxy on this machine speaks for others.
    if (forwarding.some((name) => headers[name] !== undefined)) return undefined;
    if (!mayBeAnonymous(request)) throw crossSite();
    return local;
  }

  return async (request) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) return byHeader(authorization, request);
    const session = readSessionCookie(request);
    // A cookie that is over is as good as none: no page can take it away by itself.
    const holder = session === undefined ? undefined : await byCookie(session, request);
    return holder ?? byPlace(request);
  };
}

const administrator: Identity = {
  caller: { id: 'admin', kind: 'person', name: 'Administrator' },
  isAdmin: true,
  via: 'admin-token',
};

const local: Identity = { caller: { id: 'local', kind: 'client' }, isAdmin: true, via: 'loopback' };

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

function crossSite(): ToolwharfError {
  const message = 'A page of another origin may not do this: send the header x-toolwharf, or come from our own page';
  return new ToolwharfError('FORBIDDEN', message);
}

/** Remembers a number of texts, the latest ones. */
function createRecent(max: number): Pick<Set<string>, 'has' | 'add'> {
  const recent = new Set<string>();
  return {
    has: (text) => recent.has(text),
    add(text) {
      recent.delete(text);
      const oldest = recent.size >= max ? recent.values().next().value : undefined;
      if (oldest !== undefined) recent.delete(oldest);
      return recent.add(text);
    },
  };
}
