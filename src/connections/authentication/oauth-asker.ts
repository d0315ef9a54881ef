import { isStrictScopeSuperset, type OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { Log } from '../../kernel/log.ts';
import type { OAuthCallback } from './oauth-callback.ts';
import { isSameIssuer, type OAuthContext } from './oauth-context.ts';
import { issuerOf } from './oauth-discovery.ts';
import { oauthFailed, oauthRequired } from './oauth-errors.ts';
import { beginSignIn, finishSignIn } from './oauth-flow.ts';
import { knownClient } from './oauth-provider.ts';
import { type OAuthShared, restMs } from './oauth-shared.ts';
import type { OAuthTokensRecord } from './oauth-store.ts';

export interface AskerOptions {
  readonly callback?: OAuthCallback;
  /** The configuration's own way back. */
  readonly configuredRedirectUrl?: string;
  /** The way back where there is neither a callback nor a configured one. */
  readonly redirectUrl?: string;
  readonly log: Log;
}

export interface OAuthQuestionFor {
  readonly discovery: OAuthDiscoveryState;
  readonly scope?: string;
  readonly signal: AbortSignal;
  /** Someone asked for the question itself, so it is put even if it was declined a moment ago. */
  readonly insist?: boolean;
}

/** Puts the question to a person and gives the tokens they brought; OAUTH_REQUIRED where it can't, with an address if there is one. */
export type Ask = (question: OAuthQuestionFor) => Promise<OAuthTokensRecord>;

export function createAsker(context: OAuthContext, shared: OAuthShared, options: AskerOptions): Ask {
  const { server, serverKey, store, clock } = context;
  const { callback, configuredRedirectUrl, log } = options;

  async function askThrough(
    open: OAuthCallback,
    { discovery, scope, signal }: OAuthQuestionFor,
  ): Promise<OAuthTokensRecord> {
    const before = await knownClient(context);
    await using back = await open.open({
      ...(configuredRedirectUrl !== undefined && { redirectUrl: configuredRedirectUrl }),
      ...(before?.redirect_uris?.[0] !== undefined && { preferredUrl: before.redirect_uris[0] }),
    });
    const pending = await beginSignIn(context, { discovery, redirectUrl: back.redirectUrl, ...(scope && { scope }) });
    shared.asking.set(serverKey, pending.authorizationUrl);
    try {
      signal.throwIfAborted();
      log.info('oauth.asked', `Server '${server}' wants a person to sign in`, { server });
      const params = await back.authorize(new URL(pending.authorizationUrl), { server, state: pending.state, signal });
      const tokens = await finishSignIn(context, pending, params);
      shared.declinedAt.delete(serverKey);
      return tokens;
    } catch (cause) {
      if (signal.aborted) throw oauthFailed(server, 'it was called off before anybody signed in. Start again');
      shared.declinedAt.set(serverKey, clock.now());
      throw cause;
    } finally {
      shared.asking.delete(serverKey);
    }
  }

  async function refuseWithAddress({ discovery, scope }: OAuthQuestionFor): Promise<never> {
    const redirectUrl = configuredRedirectUrl ?? options.redirectUrl;
    if (redirectUrl === undefined) {
      throw oauthRequired(server, 'there is nobody to ask here. Sign in where there is a browser, or set redirectUrl');
    }
    const open = await store.get(serverKey, 'pending');
    // Someone may be at the authorization server's page right now: a new state would turn them away on return.
    const reusable =
      open &&
      open.redirectUrl === redirectUrl &&
      clock.now() - open.startedAt < restMs &&
      isSameIssuer(issuerOf(open.discovery), issuerOf(discovery)) &&
      !isStrictScopeSuperset(scope, open.scope);
    const pending = reusable ? open : await beginSignIn(context, { discovery, redirectUrl, ...(scope && { scope }) });
    throw oauthRequired(server, 'open the address in authorizationUrl', pending.authorizationUrl);
  }

  return async (question) => {
    if (!callback) return refuseWithAddress(question);
    const declinedAt = shared.declinedAt.get(serverKey);
    if (!question.insist && declinedAt !== undefined && clock.now() - declinedAt < restMs) {
      throw oauthFailed(
        server,
        'a person was asked a short while ago and did not sign in. Start the sign-in again when ready',
      );
    }
    return askThrough(callback, question);
  };
}
