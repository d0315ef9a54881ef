import { computeScopeUnion, isStrictScopeSuperset, type OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { Log } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { abortable } from '../../kernel/wait.ts';
import { isSameIssuer, type OAuthChallenge, type OAuthContext } from './oauth-context.ts';
import { discoverOAuth, issuerOf } from './oauth-discovery.ts';
import { oauthFailed, oauthRequired, toOAuthError } from './oauth-errors.ts';
import { refreshTokens, takeSignIn } from './oauth-flow.ts';
import { type OAuthShared, restMs } from './oauth-shared.ts';
import type { OAuthTokensRecord } from './oauth-store.ts';
import type { SignInPrompt } from './sign-in-prompt.ts';

export interface TokensOptions {
  readonly prompt: SignInPrompt;
  /** True if `prompt` needs no person, so that it may replace a token before it expires. */
  readonly isMachine?: boolean;
  /** How long a request waits for a person to sign in. */
  readonly waitMs: number;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Ends all waits for people. */
  readonly signal: AbortSignal;
}

/** The tokens of one server: loads, refreshes and widens them, and asks a person when needed. */
export interface Tokens {
  /** The access token to send, refreshed if it expires soon. */
  current(): Promise<string | undefined>;
  /** Records that the server accepted the token. */
  markAccepted(token: string): void;
  /** After a 401: resolves when the request can be retried. */
  renew(token: string | undefined, challenge: OAuthChallenge): Promise<void>;
  /** After a 403 for insufficient scope: the token to retry with. */
  widen(token: string | undefined, challenge: OAuthChallenge): Promise<string>;
  /** Asks a person to sign in, unless there is a newer token than the one last refused. */
  signIn(signal: AbortSignal): Promise<void>;
  adopt(tokens: OAuthTokensRecord, by: 'refresh' | 'person'): void;
  /** Deletes the sign-in, and starts to revoke it. */
  forget(): Promise<void>;
}

export function createTokens(context: OAuthContext, shared: OAuthShared, options: TokensOptions): Tokens {
  const { server, serverKey, store, clock, settings, trace } = context;
  const { prompt, isMachine = false, waitMs, log, redactor, signal: lifetime } = options;
  const { flights, promptUrls } = shared;
  const widened = new Map<string, number>();
  let known: OAuthTokensRecord | undefined;
  let refused: { readonly token: string | undefined; readonly challenge: OAuthChallenge } = {
    token: undefined,
    challenge: {},
  };
  // The newest token, until the server accepts it.
  let unconfirmed: { readonly token: string; readonly by: 'refresh' | 'person'; readonly at: number } | undefined;

  async function load(): Promise<OAuthTokensRecord | undefined> {
    known = await store.get(serverKey, 'tokens');
    if (known) addSecrets(known);
    return known;
  }

  function addSecrets(tokens: OAuthTokensRecord): void {
    redactor.add(tokens.access_token);
    if (tokens.refresh_token) redactor.add(tokens.refresh_token);
  }

  function adopt(tokens: OAuthTokensRecord, by: 'refresh' | 'person'): void {
    known = tokens;
    addSecrets(tokens);
    unconfirmed = { token: tokens.access_token, by, at: clock.now() };
    const [event, how] =
      by === 'person'
        ? (['oauth.signed-in', 'Signed in to'] as const)
        : (['oauth.renewed', 'Renewed the sign-in to'] as const);
    log.info(event, `${how} server '${server}'`, { server });
    trace.end(by === 'person' ? 'signed-in' : 'renewed');
  }

  /** Runs one task at a time among all connections that share the store. */
  function runExclusively(work: () => Promise<void>): Promise<void> {
    return flights.run(serverKey, async () => {
      try {
        await work();
      } catch (cause) {
        const error = toOAuthError(cause, server, redactor.text);
        if (error.code === 'OAUTH_FAILED') log.warning('oauth.failed', error.message, { server });
        trace.end(error.code === 'OAUTH_REQUIRED' ? 'waiting' : 'failed', error.message);
        throw error;
      }
    });
  }

  /** Waits for a running task, but rejects if it waits for a person. */
  async function waitUnlessAsking(flight: Promise<void>): Promise<void> {
    const done = new AbortController();
    try {
      for (;;) {
        const late = clock.sleep(waitMs, done.signal).then(() => true);
        late.catch(() => {});
        if (!(await Promise.race([flight.then(() => false), late]))) return;
        const url = promptUrls.get(serverKey);
        if (url)
          throw oauthRequired(server, 'the sign-in is open in the browser. Complete it there, then try again', url);
      }
    } finally {
      done.abort();
    }
  }

  async function renewNow(token: string | undefined, challenge: OAuthChallenge): Promise<void> {
    const stored = await load();
    if (stored && stored.access_token !== token) return;
    const rejected = unconfirmed && unconfirmed.token === token ? unconfirmed : undefined;
    if (rejected?.by === 'person' && clock.now() - rejected.at < restMs) {
      throw oauthFailed(
        server,
        'it refuses the token that its own authorization server has just issued; tell its operator',
      );
    }
    trace.begin(token === undefined ? 'sign-in' : 'renewal');
    trace.addChallenge(challenge);
    const discovery = await discoverOAuth(context, challenge);
    const bound = stored && isSameIssuer(stored.issuer, issuerOf(discovery)) ? stored : undefined;
    if (bound && !rejected) {
      const fresh = await refreshOnce(bound, discovery);
      if (fresh) return adopt(fresh, 'refresh');
    }
    const scope = scopeFor(challenge, bound);
    adopt(await prompt({ discovery, signal: lifetime, scope, replaces: token }), 'person');
  }

  /** Refreshes tokens, unless another replica has done it meanwhile: a refresh token may be valid only once. */
  async function refreshOnce(
    before: OAuthTokensRecord,
    discovery: OAuthDiscoveryState,
  ): Promise<OAuthTokensRecord | undefined> {
    if (!store.withLock) return refreshTokens(context, before, discovery);
    return store.withLock(serverKey, async () => {
      const stored = await store.get(serverKey, 'tokens');
      if (stored?.access_token !== before.access_token) return stored;
      return refreshTokens(context, before, discovery);
    });
  }

  /** The scope to request, including what was granted before; undefined requests what the server publishes. */
  function scopeFor(challenge: OAuthChallenge, before: OAuthTokensRecord | undefined): string | undefined {
    const wanted = computeScopeUnion(settings.scope, challenge.scope);
    return wanted && computeScopeUnion(wanted, before?.scope);
  }

  async function widenNow(challenge: OAuthChallenge): Promise<void> {
    const stored = await load();
    const scope = computeScopeUnion(settings.scope, stored?.scope, challenge.scope);
    const triedAt = scope === undefined ? undefined : widened.get(scope);
    const isRecent = triedAt !== undefined && clock.now() - triedAt < restMs;
    if (scope === undefined || isRecent || !isStrictScopeSuperset(scope, stored?.scope)) {
      throw oauthFailed(
        server,
        'it says that the granted permissions are not enough, and signing in again would not change that',
      );
    }
    trace.begin('scope');
    trace.addChallenge(challenge);
    const discovery = await discoverOAuth(context, challenge);
    adopt(await prompt({ discovery, scope, signal: lifetime, replaces: stored?.access_token }), 'person');
    widened.set(scope, clock.now());
  }

  async function refreshEarlyNow(token: string): Promise<void> {
    const stored = await load();
    if (stored?.access_token !== token) return;
    trace.begin('renewal');
    const discovery = (await store.get(serverKey, 'discovery')) ?? (await discoverOAuth(context, {}));
    if (!isSameIssuer(stored.issuer, issuerOf(discovery))) return;
    const fresh = isMachine
      ? await prompt({ discovery, scope: stored.scope, signal: lifetime, replaces: token })
      : await refreshOnce(stored, discovery);
    if (fresh) return adopt(fresh, 'refresh');
    known = undefined;
    trace.end('failed', `The authorization server of '${server}' no longer accepts the sign-in. Sign in again`);
  }

  async function signInNow(signal: AbortSignal): Promise<void> {
    const stored = await load();
    if (stored && stored.access_token !== refused.token) return;
    trace.begin('sign-in');
    trace.addChallenge(refused.challenge);
    const discovery = await discoverOAuth(context, refused.challenge);
    const scope = scopeFor(refused.challenge, undefined);
    adopt(await prompt({ discovery, signal, insist: true, scope, replaces: refused.token }), 'person');
  }

  return {
    adopt,

    async current() {
      const tokens = known ?? (await load());
      if (tokens && (isMachine || tokens.refresh_token) && expiresSoon(tokens, clock.now())) {
        const flight = flights.current(serverKey) ?? runExclusively(() => refreshEarlyNow(tokens.access_token));
        // Not a failure: the present token may still be accepted, and otherwise the 401 renews it.
        await waitUnlessAsking(flight).catch(() => {});
      }
      return known?.access_token;
    },

    markAccepted(token) {
      if (unconfirmed?.token === token) unconfirmed = undefined;
    },

    async renew(token, challenge) {
      refused = { token, challenge };
      for (;;) {
        const running = flights.current(serverKey);
        if (!running) return waitUnlessAsking(runExclusively(() => renewNow(token, challenge)));
        await waitUnlessAsking(running);
        const stored = await load();
        if (stored && stored.access_token !== token) return;
      }
    },

    async widen(token, challenge) {
      for (;;) {
        const stored = await load();
        const covers = stored && !isStrictScopeSuperset(challenge.scope, stored.scope);
        if (covers && stored.access_token !== token) return stored.access_token;
        await waitUnlessAsking(flights.current(serverKey) ?? runExclusively(() => widenNow(challenge)));
      }
    },

    signIn(signal) {
      const ended = AbortSignal.any([signal, lifetime]);
      const flight = flights.run(`sign-in ${serverKey}`, async () => {
        const running = flights.current(serverKey);
        if (running && promptUrls.has(serverKey)) return running;
        await running?.catch(() => {});
        return runExclusively(() => signInNow(ended));
      });
      return abortable(flight, ended);
    },

    async forget() {
      const deleted = await takeSignIn(context);
      await store.delete(serverKey);
      if (deleted) context.revoke(deleted);
      shared.declinedAt.delete(serverKey);
      widened.clear();
      known = unconfirmed = undefined;
    },
  };
}

/** True within a minute of its expiry, or a tenth of a short lifetime. */
function expiresSoon({ expiresAt, lifetimeMs = 0 }: OAuthTokensRecord, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now < Math.min(60_000, lifetimeMs / 10);
}
