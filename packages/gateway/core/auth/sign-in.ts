import type { IncomingMessage } from 'node:http';
import type { OidcConfig } from '../../../contract/settings/oidc-config.ts';
import type { Identity } from './identity.ts';

/** How people sign in, and how their clients present access tokens. */
export interface SignIn {
  readonly provider: {
    /** The identity provider at which people sign in; undefined if there is none. */
    settings(): OidcConfig | undefined;
  };
  readonly resource: ResourceChallenges;
  readonly accessTokens: AccessTokens;
}

/** What tells clients where to get a token. */
export interface ResourceChallenges {
  /** The `WWW-Authenticate` header of a 401 response. */
  challenge(request: IncomingMessage): string;
  /** The `WWW-Authenticate` header of a 403 response to a token without the scope for calls. */
  insufficientScope(request: IncomingMessage): string;
}

/** Verifies access tokens with which clients act for a person. */
export interface AccessTokens {
  /** Whether the token names the configured provider as its issuer. */
  isMeant(token: string): boolean;
  /** Undefined for an invalid token, or one for another resource. Rejects with `FORBIDDEN` if its person has no access. */
  verify(token: string, request: IncomingMessage): Promise<Identity | undefined>;
}

/** Nobody signs in: callers have keys, tokens of programs, or are on this machine. */
export const noSignIn: SignIn = {
  provider: { settings: () => undefined },
  resource: {
    challenge: ({ headers }) => toChallenge(headers.authorization === undefined ? undefined : 'invalid_token'),
    insufficientScope: () => toChallenge('insufficient_scope'),
  },
  accessTokens: { isMeant: () => false, verify: async () => undefined },
};

/** A `WWW-Authenticate` header. */
export function toChallenge(error: string | undefined, parameters: readonly string[] = []): string {
  return ['Bearer realm="toolwharf"', ...(error === undefined ? [] : [`error="${error}"`]), ...parameters].join(', ');
}
