import { type AuthProvider, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';
import type { OAuthAuthentication } from '../../config/config.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import { createRedactor, type Redactor } from '../../kernel/redact.ts';
import { createAsker } from './oauth-asker.ts';
import type { OAuthCallback } from './oauth-callback.ts';
import type { OAuthChallenge, OAuthContext } from './oauth-context.ts';
import { oauthFailed, toOAuthError } from './oauth-errors.ts';
import { createOAuthFetch } from './oauth-fetch.ts';
import { finishSignIn } from './oauth-flow.ts';
import { sharedBy } from './oauth-shared.ts';
import { type OAuthStore, oauthServerKey } from './oauth-store.ts';
import { createTokens } from './oauth-tokens.ts';

export interface OAuthOptions {
  readonly serverName: string;
  readonly serverUrl: string | URL;
  readonly store: OAuthStore;
  /** Must outlive a session: a sign-in goes on when the session that wanted it is closed. */
  readonly fetch: FetchLike;
  /** How a person is asked. Without one, OAUTH_REQUIRED carries the address to sign in at, and `finish` takes the answer. */
  readonly callback?: OAuthCallback;
  /** Where the browser comes back to when there is no callback; the configuration's own wins. */
  readonly redirectUrl?: string;
  /** How long a request waits for a person before it fails with OAUTH_REQUIRED; the sign-in itself goes on. 5 000. */
  readonly waitMs?: number;
  /** Plain http to other machines; false. Token endpoints must be https even so. */
  readonly allowInsecure?: boolean;
  /** What a configured value stands for, where it is a reference such as `${VAR}`. */
  readonly resolve?: (value: string) => string;
  /** Learns every secret as it comes. */
  readonly redactor?: Redactor;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Proves to one server who we are, with as few requests and questions as possible. Its transport gets `authProvider` and `fetch`. */
export interface OAuth {
  /** Sends the token and renews it after a 401; fails with OAUTH_REQUIRED or OAUTH_FAILED. */
  readonly authProvider: AuthProvider;
  /** The given fetch, which also has the scope widened when the server says it is too narrow. */
  readonly fetch: FetchLike;
  /** Resolves once there is a sign-in the server has not refused; asks a person for one, or joins where one is being asked. */
  authorize(signal?: AbortSignal): Promise<void>;
  /** Ends a sign-in whose browser came back elsewhere, with the query it came back with. */
  finish(params: URLSearchParams): Promise<void>;
  /** Forgets tokens, registration and all. */
  forget(): Promise<void>;
  /** Stops waiting for people. */
  close(): void;
}

export function createOAuth(spec: OAuthAuthentication, options: OAuthOptions): OAuth {
  const { serverName: server, store, waitMs = 5_000, resolve = (value: string) => value } = options;
  const { clock = systemClock, log = silentLog, redactor = createRedactor() } = options;
  const context = createContext(spec, options, { clock, resolve });
  const { serverKey, settings } = context;
  if (settings.clientSecret !== undefined) redactor.add(settings.clientSecret);
  const lifetime = new AbortController();
  const shared = sharedBy(store);
  const ask = createAsker(context, shared, {
    log,
    ...(options.callback && { callback: options.callback }),
    ...(spec.redirectUrl !== undefined && { configuredRedirectUrl: spec.redirectUrl }),
    ...(options.redirectUrl !== undefined && { redirectUrl: options.redirectUrl }),
  });
  const tokens = createTokens(context, shared, { ask, waitMs, log, redactor, signal: lifetime.signal });
  const sentWith = new WeakMap<Response, string | undefined>();

  async function send(input: string | URL, init: RequestInit): Promise<Response> {
    const response = await options.fetch(input, init);
    const token = bearerIn(init);
    sentWith.set(response, token);
    if (token !== undefined && response.status !== 401) tokens.prove(token);
    return response;
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
      headers.set('authorization', `Bearer ${await tokens.widen(bearerIn(init), challenge)}`);
      const second = await send(input, { ...init, headers });
      if (!missingScope(second)) return second;
      await second.body?.cancel();
      throw oauthFailed(
        server,
        'it says the permissions granted are not enough, also after they were widened as it asked',
      );
    },

    authorize: (signal = lifetime.signal) => tokens.signIn(signal),

    async finish(params) {
      const pending = await store.get(serverKey, 'pending');
      if (!pending) throw oauthFailed(server, 'no sign-in is waiting for this answer. Start again');
      try {
        tokens.adopt(await finishSignIn(context, pending, params), 'person');
      } catch (cause) {
        throw toOAuthError(cause, server, redactor.text);
      }
    },

    forget: () => tokens.forget(),

    close() {
      lifetime.abort(oauthFailed(server, 'the server was disconnected before anybody signed in'));
    },
  };
}

function createContext(
  spec: OAuthAuthentication,
  options: OAuthOptions,
  { clock, resolve }: Required<Pick<OAuthOptions, 'clock' | 'resolve'>>,
): OAuthContext {
  const { serverName: server, store, allowInsecure = false } = options;
  const serverUrl = new URL(options.serverUrl);
  return {
    server,
    serverUrl,
    serverKey: oauthServerKey(server, serverUrl),
    allowInsecure,
    store,
    clock,
    fetch: createOAuthFetch({ server, serverUrl, allowInsecure, fetch: options.fetch }),
    settings: {
      ...(spec.clientId !== undefined && { clientId: resolve(spec.clientId) }),
      ...(spec.clientSecret !== undefined && { clientSecret: resolve(spec.clientSecret) }),
      ...(spec.scope !== undefined && { scope: spec.scope }),
      ...(spec.clientMetadataUrl !== undefined && { clientMetadataUrl: spec.clientMetadataUrl }),
    },
  };
}

function bearerIn(init: RequestInit): string | undefined {
  return /^bearer (.+)$/i.exec(new Headers(init.headers ?? undefined).get('authorization') ?? '')?.[1];
}

function missingScope(response: Response): OAuthChallenge | undefined {
  if (response.status !== 403) return undefined;
  const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return error === 'insufficient_scope'
    ? { ...(scope && { scope }), ...(resourceMetadataUrl && { resourceMetadataUrl }) }
    : undefined;
}
