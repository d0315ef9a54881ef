import type { HttpTarget, ServerSpec } from '../../config/config.ts';
import { resolveReference } from '../../config/references.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { isSecretName } from '../../kernel/secret-names.ts';
import { createOAuth, type OAuth } from '../authentication/oauth.ts';
import type { OAuthCallback } from '../authentication/oauth-callback.ts';
import { type OAuthStore, oauthServerKey } from '../authentication/oauth-store.ts';
import { toStaticHeaders } from '../authentication/static-headers.ts';
import { createNotificationThrottle } from '../notification-throttle.ts';
import type { HttpAccess } from './http-access.ts';
import { assertSecureUrl } from './https-rule.ts';
import { createPoolFetch, type PoolFetch } from './pool-fetch.ts';
import { type Reach, serverReach } from './server-reach.ts';

/** Where sign-ins are kept, and who does them. */
export interface OAuthPorts {
  /** Default: for as long as the process lives. */
  readonly store?: OAuthStore;
  /** Without one, a server that wants a sign-in fails with OAUTH_REQUIRED and the address to do it at. */
  readonly callback?: OAuthCallback;
  /** Where the browser comes back to where there is no callback; `toolbox.finishSignIn` takes what it brings. */
  readonly redirectUrl?: string;
}

export interface HttpEndpointOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
  readonly oauth?: OAuthPorts;
  readonly maxMessageBytes: number;
  /** How far the word of whoever gave this server's address goes; `configured`. */
  readonly reachOf?: (server: string) => Reach;
}

/** How one server is reached over HTTP, for as long as we want it: its sign-in outlives a session. */
export interface HttpEndpoint {
  /** What one session needs. */
  open(): Promise<HttpAccess>;
  /** Takes what a browser brought back; false when the sign-in is not this server's. */
  finishSignIn(params: URLSearchParams): Promise<boolean>;
  close(): Promise<void>;
}

export function createHttpEndpoint(
  spec: ServerSpec,
  redactor: Redactor,
  store: OAuthStore,
  options: HttpEndpointOptions,
): HttpEndpoint {
  const { env, log, clock, maxMessageBytes, reachOf = () => 'configured' as const } = options;
  const { callback, redirectUrl } = options.oauth ?? {};
  const target = spec.target as HttpTarget;
  const { authentication, allowInsecure, url } = target;
  const serverName = spec.name;
  const throttle = createNotificationThrottle();
  const createPool = () =>
    createPoolFetch({
      maxResponseBytes: maxMessageBytes,
      maxEventBytes: maxMessageBytes,
      throttle,
      mayReach: serverReach(new URL(url), () => reachOf(serverName)),
    });
  let signedIn: { readonly oauth: OAuth; readonly pool: PoolFetch } | undefined;

  function resolve(value: string): string {
    const missing = (variable: string) => {
      const message = `Environment variable '${variable}' of server '${serverName}' is not set`;
      log.warning('config.variable-missing', message, { variable });
    };
    const resolved = resolveReference(value, env, missing);
    if (resolved !== value) redactor.add(resolved);
    return resolved;
  }

  function signIn(): OAuth | undefined {
    if (authentication.type !== 'oauth') return undefined;
    if (signedIn) return signedIn.oauth;
    const pool = createPool();
    const common = { serverName, serverUrl: url, store, allowInsecure, resolve, redactor, clock, log };
    const back = { ...(callback && { callback }), ...(redirectUrl !== undefined && { redirectUrl }) };
    signedIn = { pool, oauth: createOAuth(authentication, { ...common, ...back, fetch: pool.fetch }) };
    return signedIn.oauth;
  }

  return {
    async open() {
      assertSecureUrl(url, { serverName, allowInsecure });
      for (const secret of secretsOf(target)) redactor.add(resolve(secret));
      for (const [name, value] of Object.entries(target.headers)) if (isSecretName(name)) redactor.add(resolve(value));
      const headers = toStaticHeaders(target, { serverName, resolve });
      const oauth = signIn();
      if (oauth) {
        const { fetch, authProvider, authorize } = oauth;
        return { fetch, headers, throttle, authProvider, authorize, close: async () => {} };
      }
      const pool = createPool();
      return { fetch: pool.fetch, post: pool.post, headers, throttle, close: pool.close };
    },
    async finishSignIn(params) {
      const pending = await store.get(oauthServerKey(serverName, url), 'pending');
      if (!pending || pending.state !== params.get('state')) return false;
      await signIn()?.finish(params);
      return true;
    },
    async close() {
      const ending = signedIn;
      signedIn = undefined;
      ending?.oauth.close();
      await ending?.pool.close();
    },
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
