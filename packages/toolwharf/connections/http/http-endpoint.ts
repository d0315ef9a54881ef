import { isSecretName } from '../../../contract/secret-names.ts';
import type { HttpTarget, ServerSpec } from '../../../contract/settings/config.ts';
import { resolveReference, type SecretValues } from '../../config/references.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { createOAuth, type OAuth } from '../authentication/oauth.ts';
import type { OAuthCallback } from '../authentication/oauth-callback.ts';
import { findPending } from '../authentication/oauth-flow.ts';
import { type OAuthStore, oauthServerKey } from '../authentication/oauth-store.ts';
import { createOAuthTrace } from '../authentication/oauth-trace.ts';
import { readSignInState, type SignInState } from '../authentication/sign-in-state.ts';
import { toStaticHeaders } from '../authentication/static-headers.ts';
import { createNotificationThrottle } from '../notification-throttle.ts';
import { createMissingReporter } from '../report-missing.ts';
import { type Reach, serverReach } from './guard-addresses.ts';
import type { HttpAccess } from './http-access.ts';
import { createPoolFetch, type PoolFetch } from './pool-fetch.ts';
import { assertSecureUrl } from './secure-url.ts';

/** Stores sign-ins and sends people to sign in. */
export interface OAuthPorts {
  /** Default: in memory. */
  readonly store?: OAuthStore;
  /** Without one, a server that requires a sign-in fails with OAUTH_REQUIRED and the address of the sign-in. */
  readonly callback?: OAuthCallback;
  /** The redirect URL without a callback; pass the query of the redirect to `toolbox.finishSignIn`. */
  readonly redirectUrl?: string;
}

export interface HttpEndpointOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
  readonly oauth?: OAuthPorts;
  readonly maxMessageBytes: number;
  /** Which addresses a server may lead to; default `configured`. */
  readonly reachOf?: (server: string) => Reach;
  /** Receives work that goes on after an endpoint was closed, for ten seconds at most. */
  readonly onBackgroundWork?: (work: Promise<void>) => void;
}

/** One server over HTTP. Its sign-in outlives a session. */
export interface HttpEndpoint {
  /** Access for one session. */
  open(): Promise<HttpAccess>;
  /** Completes a sign-in with the query of its redirect; false when the sign-in is not for this server. */
  finishSignIn(params: URLSearchParams): Promise<boolean>;
  /** The stored sign-in without its secrets, and the latest attempts; undefined without OAuth. */
  signInState(): Promise<SignInState | undefined>;
  /** Deletes the tokens and the registration, and starts to revoke the tokens. */
  signOut(): Promise<void>;
  close(): Promise<void>;
}

export function createHttpEndpoint(
  spec: ServerSpec,
  redactor: Redactor,
  store: OAuthStore,
  options: HttpEndpointOptions,
  secrets?: Pick<SecretValues, 'get'>,
): HttpEndpoint {
  const {
    env,
    log,
    clock,
    maxMessageBytes,
    reachOf = () => 'configured' as const,
    onBackgroundWork = () => {},
  } = options;
  const { callback, redirectUrl } = options.oauth ?? {};
  const target = spec.target as HttpTarget;
  const { authentication, url } = target;
  const serverName = spec.name;
  const throttle = createNotificationThrottle();
  const createPool = () =>
    createPoolFetch({
      maxResponseBytes: maxMessageBytes,
      maxEventBytes: maxMessageBytes,
      throttle,
      mayReach: serverReach(new URL(url), () => reachOf(serverName)),
    });
  const trace = createOAuthTrace(clock);
  let signedIn: { readonly oauth: OAuth; readonly pool: PoolFetch } | undefined;

  const onMissing = createMissingReporter(spec, log);

  function resolve(value: string): string {
    const resolved = resolveReference(value, env, onMissing, secrets);
    if (resolved !== value) redactor.add(resolved);
    return resolved;
  }

  function signIn(): OAuth | undefined {
    if (authentication.type !== 'oauth') return undefined;
    if (signedIn) return signedIn.oauth;
    const pool = createPool();
    const common = { serverName, serverUrl: url, store, security: target, resolve, redactor, clock, log, trace };
    signedIn = { pool, oauth: createOAuth(authentication, { ...common, callback, redirectUrl, fetch: pool.fetch }) };
    return signedIn.oauth;
  }

  return {
    async open() {
      assertSecureUrl(url, { serverName, security: target });
      for (const secret of secretsOf(target)) redactor.add(resolve(secret));
      for (const [name, value] of Object.entries(target.headers)) if (isSecretName(name)) redactor.add(resolve(value));
      const headers = toStaticHeaders(target, { serverName, resolve });
      const oauth = signIn();
      if (oauth) {
        const { fetch, authProvider, authorize } = oauth;
        return { fetch, headers, throttle, authProvider, authorize, close: async () => {} };
      }
      const pool = createPool();
      return { fetch: pool.fetch, send: pool.send, headers, throttle, close: pool.close };
    },
    async finishSignIn(params) {
      if (!(await findPending({ store, serverKey: oauthServerKey(serverName, url) }, params))) return false;
      await signIn()?.finish(params);
      return true;
    },
    async signInState() {
      if (authentication.type !== 'oauth') return undefined;
      return readSignInState(store, oauthServerKey(serverName, url), trace);
    },
    signOut: async () => signIn()?.forget(),
    async close() {
      const ending = signedIn;
      signedIn = undefined;
      if (!ending) return;
      ending.oauth.close();
      const revoking = ending.oauth.revoking();
      if (revoking) onBackgroundWork(revoking.then(ending.pool.close));
      else await ending.pool.close();
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
