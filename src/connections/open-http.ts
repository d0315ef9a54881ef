import type { HttpTarget, ServerSpec } from '../config/config.ts';
import { resolveReference } from '../config/references.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Redactor } from '../kernel/redact.ts';
import { createOAuth } from './authentication/oauth.ts';
import type { OAuthCallback } from './authentication/oauth-callback.ts';
import { createMemoryOAuthStore, type OAuthStore } from './authentication/oauth-store.ts';
import { toStaticHeaders } from './authentication/static-headers.ts';
import { assertSecureUrl } from './http/https-rule.ts';
import { createPoolFetch } from './http/pool-fetch.ts';
import type { HttpAccess } from './http-access.ts';

/** Where sign-ins are kept, and who does them. */
export interface OAuthPorts {
  /** Default: for as long as the process lives. */
  readonly store?: OAuthStore;
  /** Without one, a server that wants a sign-in fails with OAUTH_REQUIRED and the address to do it at. */
  readonly callback?: OAuthCallback;
}

export interface HttpOpenerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
  readonly oauth?: OAuthPorts;
  readonly maxMessageBytes: number;
}

/** Makes what an HTTP session needs: sockets of its own, the configured headers and credentials, sign-in where wanted. */
export type HttpOpener = (spec: ServerSpec, redactor: Redactor) => Promise<HttpAccess>;

export function createHttpOpener(options: HttpOpenerOptions): HttpOpener {
  const { env, log, clock, maxMessageBytes } = options;
  const { store = createMemoryOAuthStore(), callback } = options.oauth ?? {};
  return async (spec, redactor) => {
    const target = spec.target as HttpTarget;
    const { authentication, allowInsecure } = target;
    const serverName = spec.name;
    assertSecureUrl(target.url, { serverName, allowInsecure });
    const resolve = (value: string) => {
      const missing = (variable: string) =>
        log.warning(
          'config.variable-missing',
          `Environment variable '${variable}' of server '${serverName}' is not set`,
          { variable },
        );
      const resolved = resolveReference(value, env, missing);
      if (resolved !== value) redactor.add(resolved);
      return resolved;
    };
    for (const secret of secretsOf(target)) redactor.add(resolve(secret));
    const headers = toStaticHeaders(target, { serverName, resolve });
    const pool = createPoolFetch({ maxResponseBytes: maxMessageBytes, maxEventBytes: maxMessageBytes });
    if (authentication.type !== 'oauth') return { fetch: pool.fetch, headers, close: pool.close };
    const common = { serverName, serverUrl: target.url, store, allowInsecure, resolve, redactor, clock, log };
    const oauth = createOAuth(authentication, { ...common, fetch: pool.fetch, ...(callback && { callback }) });
    return {
      fetch: oauth.fetch,
      headers,
      authProvider: oauth.authProvider,
      authorize: oauth.authorize,
      async close() {
        oauth.close();
        await pool.close();
      },
    };
  };
}

function secretsOf({ authentication }: HttpTarget): string[] {
  switch (authentication.type) {
    case 'bearer':
      return [authentication.token];
    case 'api-key':
      return [authentication.key];
    case 'basic':
      return [authentication.password];
    default:
      return [];
  }
}
