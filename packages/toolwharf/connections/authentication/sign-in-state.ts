import type { OAuthStore } from './oauth-store.ts';
import type { OAuthAttempt, OAuthTrace } from './oauth-trace.ts';

/** A sign-in to a server, without secrets. */
export interface SignInState {
  readonly tokens?: {
    readonly issuer: string;
    readonly scope?: string;
    readonly resource?: string;
    readonly expiresAt?: string;
    /** Whether the tokens can be renewed without a person. */
    readonly canRenew: boolean;
  };
  readonly client?: {
    readonly clientId: string;
    readonly issuer: string;
    /** Whether Toolwharf registered itself, or the client is configured. */
    readonly isRegistered: boolean;
    readonly redirectUrls?: readonly string[];
  };
  /** Newest first. */
  readonly attempts: readonly OAuthAttempt[];
}

/** Reads a sign-in from its store, and the latest attempts. */
export async function readSignInState(store: OAuthStore, serverKey: string, trace: OAuthTrace): Promise<SignInState> {
  const [tokens, client] = await Promise.all([store.get(serverKey, 'tokens'), store.get(serverKey, 'client')]);
  return {
    tokens: tokens && {
      issuer: tokens.issuer,
      scope: tokens.scope,
      resource: tokens.resource,
      expiresAt: tokens.expiresAt === undefined ? undefined : new Date(tokens.expiresAt).toISOString(),
      canRenew: tokens.refresh_token !== undefined,
    },
    client: client && {
      clientId: client.client_id,
      issuer: client.issuer,
      isRegistered: client.redirect_uris !== undefined,
      redirectUrls: client.redirect_uris,
    },
    attempts: trace.attempts(),
  };
}
