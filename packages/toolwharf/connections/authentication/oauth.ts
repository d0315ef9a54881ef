import { type AuthProvider, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { OAuthAuthentication } from '../../../contract/settings/oauth-config.ts';
import type { UrlSecurity } from '../../../contract/settings/server-url.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import { createRedactor, type Redactor } from '../../kernel/redact.ts';
import type { OAuthCallback } from './oauth-callback.ts';
import type { OAuthChallenge, OAuthContext } from './oauth-context.ts';
import { oauthFailed, toOAuthError } from './oauth-errors.ts';
import { createOAuthFetch } from './oauth-fetch.ts';
import { findPending, finishSignIn } from './oauth-flow.ts';
import { createClientSigner, createMachineSignIn } from './oauth-machine.ts';
import { createRevocations } from './oauth-revocation.ts';
import { sharedBy } from './oauth-shared.ts';
import { type OAuthStore, oauthServerKey } from './oauth-store.ts';
import { createTokens } from './oauth-tokens.ts';
import { createOAuthTrace, type OAuthTrace } from './oauth-trace.ts';
import { createSignInPrompt } from './sign-in-prompt.ts';

export interface OAuthOptions {
  readonly serverName: string;
  readonly serverUrl: string | URL;
  readonly store: OAuthStore;
  /** Must outlive a session: a sign-in continues after the session that required it is closed. */
  readonly fetch: FetchLike;
  /** Asks a person. Without one, OAUTH_REQUIRED carries the sign-in URL, and `finish` takes the redirect. */
  readonly callback?: OAuthCallback;
  /** The redirect URL without a callback; a configured one takes precedence. */
  readonly redirectUrl?: string;
  /** How long a request waits for a person before it fails with OAUTH_REQUIRED; the sign-in continues. Default 5 000. */
  readonly waitMs?: number;
  /** May allow plain http to other machines, except for token endpoints; by default it does not. */
  readonly security?: UrlSecurity;
  /** Resolves references such as `${VAR}` in configured values. */
  readonly resolve?: (value: string) => string;
  /** Receives every secret. */
  readonly redactor?: Redactor;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Records each step of a sign-in. */
  readonly trace?: OAuthTrace;
}

/** OAuth for one server. Its transport uses `authProvider` and `fetch`. */
export interface OAuth {
  /** Supplies the token and renews it after a 401; fails with OAUTH_REQUIRED or OAUTH_FAILED. */
  readonly authProvider: AuthProvider;
  /** The given fetch, which also requests a wider scope when the server says that it is insufficient. */
  readonly fetch: FetchLike;
  /** Resolves once there is a token that the server has not refused; asks a person, or joins a pending sign-in. */
  authorize(signal?: AbortSignal): Promise<void>;
  /** Completes a sign-in with the query of a redirect that was received elsewhere. */
  finish(params: URLSearchParams): Promise<void>;
  /** Deletes tokens and registration, and starts to revoke the tokens at the authorization server. */
  forget(): Promise<void>;
  /** Resolves when the running revocations have ended; undefined if there are none. They need `fetch`. */
  revoking(): Promise<void> | undefined;
  /** Ends all waits for people. */
  close(): void;
}

export function createOAuth(spec: OAuthAuthentication, options: OAuthOptions): OAuth {
  const { serverName: server, store, waitMs = 5_000, resolve = (value: string) => value } = options;
  const { clock = systemClock, log = silentLog, redactor = createRedactor() } = options;
  const { trace = createOAuthTrace(clock) } = options;
  const fields = readFields(spec, options, resolve);
  const { settings } = fields;
  const sign = () => createClientSigner(fields, spec, { resolve, redactor });
  const revocations = createRevocations({
    ...{ ...fields, log, fetch: options.fetch },
    sign: spec.privateKey === undefined ? undefined : sign,
  });
  const context: OAuthContext = {
    ...{ ...fields, store, clock, trace },
    fetch: trace.record(createOAuthFetch({ ...fields, fetch: options.fetch })),
    revoke: revocations.start,
  };
  if (settings.clientSecret !== undefined) redactor.add(settings.clientSecret);
  const lifetime = new AbortController();
  const shared = sharedBy(store);
  const isMachine = spec.grant !== undefined && spec.grant !== 'authorization-code';
  const prompt = isMachine
    ? createMachineSignIn(context, spec, { resolve, redactor })
    : createSignInPrompt(context, shared, {
        log,
        callback: options.callback,
        configuredRedirectUrl: spec.redirectUrl,
        redirectUrl: options.redirectUrl,
      });
  const tokens = createTokens(context, shared, { prompt, isMachine, waitMs, log, redactor, signal: lifetime.signal });
  const sentWith = new WeakMap<Response, string | undefined>();

  async function send(input: string | URL, init: RequestInit): Promise<Response> {
    const response = await options.fetch(input, init);
    const token = bearerIn(init);
    sentWith.set(response, token);
    if (token !== undefined && response.status !== 401) tokens.markAccepted(token);
    return response;
  }

  /** The session stays usable if only a wider scope needs a person. */
  async function widen(token: string | undefined, challenge: OAuthChallenge): Promise<string> {
    return tokens.widen(token, challenge).catch((cause) => {
      if (!(cause instanceof ToolwharfError) || cause.code !== 'OAUTH_REQUIRED') throw cause;
      throw new ToolwharfError('OAUTH_REQUIRED', cause.message, { data: { ...cause.data, isForScope: true } });
    });
  }

  return {
    authProvider: {
      token: () => tokens.current(),
      async onUnauthorized({ response }) {
        const token = sentWith.has(response) ? sentWith.get(response) : await tokens.current();
        await tokens.renew(token, extractWWWAuthenticateParams(response));
      },
    },

    async fetch(input, init = {}) {
      const first = await send(input, init);
      const challenge = missingScope(first);
      if (!challenge) return first;
      await first.body?.cancel();
      const headers = new Headers(init.headers ?? undefined);
      headers.set('authorization', `Bearer ${await widen(bearerIn(init), challenge)}`);
      const second = await send(input, { ...init, headers });
      if (!missingScope(second)) return second;
      await second.body?.cancel();
      throw oauthFailed(
        server,
        'it says that the granted permissions are not enough, even after they were widened as it requested',
      );
    },

    authorize: (signal = lifetime.signal) => tokens.signIn(signal),

    async finish(params) {
      const pending = await findPending(context, params);
      if (!pending) throw oauthFailed(server, 'no sign-in is pending. Start again');
      try {
        tokens.adopt(await finishSignIn(context, pending, params), 'person');
      } catch (cause) {
        const error = toOAuthError(cause, server, redactor.text);
        trace.end('failed', error.message);
        throw error;
      }
    },

    forget: () => tokens.forget(),
    revoking: revocations.running,

    close() {
      lifetime.abort(oauthFailed(server, 'the server was disconnected before the sign-in was complete'));
    },
  };
}

/** The parts of the context that come from the configuration. */
function readFields(
  spec: OAuthAuthentication,
  options: OAuthOptions,
  resolve: (value: string) => string,
): Pick<OAuthContext, 'server' | 'serverUrl' | 'serverKey' | 'security' | 'settings'> {
  const { serverName: server, security = {} } = options;
  const serverUrl = new URL(options.serverUrl);
  return {
    server,
    serverUrl,
    serverKey: oauthServerKey(server, serverUrl),
    security,
    settings: {
      clientId: spec.clientId === undefined ? undefined : resolve(spec.clientId),
      clientSecret: spec.clientSecret === undefined ? undefined : resolve(spec.clientSecret),
      scope: spec.scope,
      clientMetadataUrl: spec.clientMetadataUrl,
      issuer: spec.issuer,
    },
  };
}

function bearerIn(init: RequestInit): string | undefined {
  return /^bearer (.+)$/i.exec(new Headers(init.headers ?? undefined).get('authorization') ?? '')?.[1];
}

function missingScope(response: Response): OAuthChallenge | undefined {
  if (response.status !== 403) return undefined;
  const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return error === 'insufficient_scope' ? { scope, resourceMetadataUrl } : undefined;
}
