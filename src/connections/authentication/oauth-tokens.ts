import { computeScopeUnion, isStrictScopeSuperset } from '@modelcontextprotocol/client';
import type { Log } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { abortable } from '../../kernel/wait.ts';
import type { Ask } from './oauth-asker.ts';
import { isSameIssuer, type OAuthChallenge, type OAuthContext } from './oauth-context.ts';
import { discoverOAuth, issuerOf } from './oauth-discovery.ts';
import { oauthFailed, oauthRequired, toOAuthError } from './oauth-errors.ts';
import { refreshTokens } from './oauth-flow.ts';
import { type OAuthShared, restMs } from './oauth-shared.ts';
import type { OAuthTokensRecord } from './oauth-store.ts';

export interface TokensOptions {
  readonly ask: Ask;
  /** How long a request waits for a person. */
  readonly waitMs: number;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Ends all waiting for people. */
  readonly signal: AbortSignal;
}

/** The tokens for one server, and every way to newer ones. */
export interface Tokens {
  /** The access token to send; renewed first if its end is near. */
  current(): Promise<string | undefined>;
  /** The server took the token. */
  prove(token: string): void;
  /** After a 401: resolves when another try makes sense. */
  renew(token: string | undefined, challenge: OAuthChallenge): Promise<void>;
  /** After a 403 for want of scope: the token to try again with. */
  widen(token: string | undefined, challenge: OAuthChallenge): Promise<string>;
  /** Asks a person, unless there is something newer than the token last refused. */
  signIn(signal: AbortSignal): Promise<void>;
  adopt(tokens: OAuthTokensRecord, by: 'refresh' | 'person'): void;
  forget(): Promise<void>;
}

export function createTokens(context: OAuthContext, shared: OAuthShared, options: TokensOptions): Tokens {
  const { server, serverKey, store, clock, settings } = context;
  const { ask, waitMs, log, redactor, signal: lifetime } = options;
  const { flights, asking } = shared;
  const widened = new Map<string, number>();
  let known: OAuthTokensRecord | undefined;
  let refused: { readonly token: string | undefined; readonly challenge: OAuthChallenge } = {
    token: undefined,
    challenge: {},
  };
  // The newest token, as long as the server has not taken it.
  let unproven: { readonly token: string; readonly by: 'refresh' | 'person'; readonly at: number } | undefined;

  async function load(): Promise<OAuthTokensRecord | undefined> {
    known = await store.get(serverKey, 'tokens');
    if (known) keepSecret(known);
    return known;
  }

  function keepSecret(tokens: OAuthTokensRecord): void {
    redactor.add(tokens.access_token);
    if (tokens.refresh_token) redactor.add(tokens.refresh_token);
  }

  function adopt(tokens: OAuthTokensRecord, by: 'refresh' | 'person'): void {
    known = tokens;
    keepSecret(tokens);
    unproven = { token: tokens.access_token, by, at: clock.now() };
    const [event, how] =
      by === 'person'
        ? (['oauth.signed-in', 'Signed in to'] as const)
        : (['oauth.renewed', 'Renewed the sign-in to'] as const);
    log.info(event, `${how} server '${server}'`, { server });
  }

  /** One at a time over all that share the store. */
  function alone(work: () => Promise<void>): Promise<void> {
    return flights.run(serverKey, async () => {
      try {
        await work();
      } catch (cause) {
        const error = toOAuthError(cause, server, redactor.text);
        if (error.code === 'OAUTH_FAILED') log.warning('oauth.failed', error.message, { server });
        throw error;
      }
    });
  }

  /** Waits for work under way, but not for a person to make up their mind. */
  async function patiently(flight: Promise<void>): Promise<void> {
    const done = new AbortController();
    try {
      for (;;) {
        const late = clock.sleep(waitMs, done.signal).then(() => true);
        late.catch(() => {});
        if (!(await Promise.race([flight.then(() => false), late]))) return;
        const url = asking.get(serverKey);
        if (url)
          throw oauthRequired(server, 'the question is open in the browser. Answer it there, then try again', url);
      }
    } finally {
      done.abort();
    }
  }

  async function renewNow(token: string | undefined, challenge: OAuthChallenge): Promise<void> {
    const stored = await load();
    if (stored && stored.access_token !== token) return;
    const rejected = unproven && unproven.token === token ? unproven : undefined;
    if (rejected?.by === 'person' && clock.now() - rejected.at < restMs) {
      throw oauthFailed(server, 'it refuses the token its own authorization server has just given; tell its operator');
    }
    const discovery = await discoverOAuth(context, challenge);
    const bound = stored && isSameIssuer(stored.issuer, issuerOf(discovery)) ? stored : undefined;
    if (bound && !rejected) {
      const fresh = await refreshTokens(context, bound, discovery);
      if (fresh) return adopt(fresh, 'refresh');
    }
    const scope = scopeFor(challenge, bound);
    adopt(await ask({ discovery, signal: lifetime, ...(scope && { scope }) }), 'person');
  }

  /** What to ask for; undefined leaves the choice to what the server publishes. What was granted before is not lost. */
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
        'it says the permissions granted are not enough, and asking for them again would not change that',
      );
    }
    const discovery = await discoverOAuth(context, challenge);
    adopt(await ask({ discovery, scope, signal: lifetime }), 'person');
    widened.set(scope, clock.now());
  }

  async function refreshEarlyNow(token: string): Promise<void> {
    const stored = await load();
    if (stored?.access_token !== token) return;
    const discovery = (await store.get(serverKey, 'discovery')) ?? (await discoverOAuth(context, {}));
    if (!isSameIssuer(stored.issuer, issuerOf(discovery))) return;
    const fresh = await refreshTokens(context, stored, discovery);
    if (fresh) adopt(fresh, 'refresh');
    else known = undefined;
  }

  async function signInNow(signal: AbortSignal): Promise<void> {
    const stored = await load();
    if (stored && stored.access_token !== refused.token) return;
    const discovery = await discoverOAuth(context, refused.challenge);
    const scope = scopeFor(refused.challenge, undefined);
    adopt(await ask({ discovery, signal, insist: true, ...(scope && { scope }) }), 'person');
  }

  return {
    adopt,

    async current() {
      const tokens = known ?? (await load());
      if (tokens?.refresh_token && endsSoon(tokens, clock.now())) {
        const flight = flights.current(serverKey) ?? alone(() => refreshEarlyNow(tokens.access_token));
        // Not a reason to fail: what we have may still be taken, and if not, the 401 leads to a second try.
        await patiently(flight).catch(() => {});
      }
      return known?.access_token;
    },

    prove(token) {
      if (unproven?.token === token) unproven = undefined;
    },

    async renew(token, challenge) {
      refused = { token, challenge };
      for (;;) {
        const running = flights.current(serverKey);
        if (!running) return patiently(alone(() => renewNow(token, challenge)));
        await patiently(running);
        const stored = await load();
        if (stored && stored.access_token !== token) return;
      }
    },

    async widen(token, challenge) {
      for (;;) {
        const stored = await load();
        const covers = stored && !isStrictScopeSuperset(challenge.scope, stored.scope);
        if (covers && stored.access_token !== token) return stored.access_token;
        await patiently(flights.current(serverKey) ?? alone(() => widenNow(challenge)));
      }
    },

    signIn(signal) {
      const ended = AbortSignal.any([signal, lifetime]);
      const flight = flights.run(`sign-in ${serverKey}`, async () => {
        const running = flights.current(serverKey);
        if (running && asking.has(serverKey)) return running;
        await running?.catch(() => {});
        return alone(() => signInNow(ended));
      });
      return abortable(flight, ended);
    },

    async forget() {
      await store.delete(serverKey);
      shared.declinedAt.delete(serverKey);
      widened.clear();
      known = unproven = undefined;
    },
  };
}

/** Shortly before the end of its life, by its own measure: a minute, or a tenth of a short life. */
function endsSoon({ expiresAt, lifetimeMs = 0 }: OAuthTokensRecord, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now < Math.min(60_000, lifetimeMs / 10);
}
