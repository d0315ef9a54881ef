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

export interface SignInPromptOptions {
  readonly callback?: OAuthCallback;
  /** The redirect URL of the configuration. */
  readonly configuredRedirectUrl?: string;
  /** The redirect URL if there is neither a callback nor a configured one. */
  readonly redirectUrl?: string;
  readonly log: Log;
}

/** A sign-in that a person is to be asked for. */
export interface SignInRequest {
  readonly discovery: OAuthDiscoveryState;
  readonly scope?: string;
  readonly signal: AbortSignal;
  /** The token that the server refused, or that expires soon. */
  readonly replaces?: string;
  /** Asks even if a person declined a moment ago, because the sign-in was requested explicitly. */
  readonly insist?: boolean;
}

/** Signs in and returns the tokens: a person is asked, or a program proves itself. Rejects with OAUTH_REQUIRED, and a URL if there is one, if no person can be asked. */
export type SignInPrompt = (question: SignInRequest) => Promise<OAuthTokensRecord>;

export function createSignInPrompt(
  context: OAuthContext,
  shared: OAuthShared,
  options: SignInPromptOptions,
): SignInPrompt {
  const { server, serverKey, store, clock } = context;
  const { callback, configuredRedirectUrl, log } = options;

  async function promptThrough(
    callback: OAuthCallback,
    { discovery, scope, signal }: SignInRequest,
  ): Promise<OAuthTokensRecord> {
    const before = await knownClient(context);
    await using opened = await callback.open({
      redirectUrl: configuredRedirectUrl,
      preferredUrl: before?.redirect_uris?.[0],
    });
    const pending = await beginSignIn(context, { discovery, redirectUrl: opened.redirectUrl, scope });
    context.trace.addAuthorization(pending.authorizationUrl);
    shared.promptUrls.set(serverKey, pending.authorizationUrl);
    try {
      signal.throwIfAborted();
      log.info('oauth.asked', `Server '${server}' requires a person to sign in`, { server });
      const params = await opened.authorize(new URL(pending.authorizationUrl), {
        server,
        state: pending.state,
        signal,
      });
      const tokens = await finishSignIn(context, pending, params);
      shared.declinedAt.delete(serverKey);
      return tokens;
    } catch (cause) {
      if (signal.aborted) throw oauthFailed(server, 'it was cancelled. Start again');
      shared.declinedAt.set(serverKey, clock.now());
      throw cause;
    } finally {
      shared.promptUrls.delete(serverKey);
    }
  }

  async function rejectWithUrl({ discovery, scope }: SignInRequest): Promise<never> {
    const redirectUrl = configuredRedirectUrl ?? options.redirectUrl;
    if (redirectUrl === undefined) {
      throw oauthRequired(server, 'no sign-in is possible here. Sign in where there is a browser, or set redirectUrl');
    }
    const begun = await store.get(serverKey, 'pending');
    // A person may be signing in at this moment: a new state would invalidate the redirect.
    const reusable =
      begun &&
      begun.redirectUrl === redirectUrl &&
      clock.now() - begun.startedAt < restMs &&
      isSameIssuer(issuerOf(begun.discovery), issuerOf(discovery)) &&
      !isStrictScopeSuperset(scope, begun.scope);
    const pending = reusable ? begun : await beginSignIn(context, { discovery, redirectUrl, scope });
    context.trace.addAuthorization(pending.authorizationUrl);
    throw oauthRequired(server, 'open the sign-in page', pending.authorizationUrl);
  }

  return async (question) => {
    if (!callback) return rejectWithUrl(question);
    const declinedAt = shared.declinedAt.get(serverKey);
    if (!question.insist && declinedAt !== undefined && clock.now() - declinedAt < restMs) {
      throw oauthFailed(
        server,
        'a person was asked a short while ago and did not sign in. Start the sign-in again when ready',
      );
    }
    return promptThrough(callback, question);
  };
}
