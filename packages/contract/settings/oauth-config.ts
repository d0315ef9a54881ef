/**
 * How Toolwharf gets an OAuth token. `authorization-code`: a person signs in. The others need no person.
 * `client-credentials`: with the secret or the private key of the client. `jwt-bearer`: with a token of the workload.
 * `enterprise`: with a grant that the identity provider of a company issues for an ID token (ID-JAG).
 */
export const oauthGrants = ['authorization-code', 'client-credentials', 'jwt-bearer', 'enterprise'] as const;

/** The signature algorithms of clients with a private key. */
export const signatureAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const;

/** The OAuth grant, by name. */
export type OAuthGrant = (typeof oauthGrants)[number];

/** OAuth 2.1 with the client registration, scope and grant to use. */
export interface OAuthAuthentication {
  readonly type: 'oauth';
  /** Default: `authorization-code`. */
  readonly grant?: OAuthGrant;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The private key of the client in PEM, which signs its requests instead of a secret. */
  readonly privateKey?: string;
  /** The signature algorithm of the private key. Undefined: by the type of the key. */
  readonly algorithm?: (typeof signatureAlgorithms)[number];
  /** The authorization server that may receive the credentials. Undefined: the first one that the server names. */
  readonly issuer?: string;
  /** The token of the workload, for the grant `jwt-bearer`. */
  readonly assertion?: string;
  /** The issuer of the company's identity provider, for the grant `enterprise`, with Toolwharf's client there. */
  readonly identityProvider?: string;
  readonly identityProviderClientId?: string;
  /** Its token endpoint. Undefined: the one that the identity provider publishes. */
  readonly identityProviderTokenUrl?: string;
  readonly identityProviderClientSecret?: string;
  /** The ID token that the identity provider exchanges for a grant. */
  readonly idToken?: string;
  readonly scope?: string;
  /** The OAuth redirect URL. Undefined uses the URL of the callback port. */
  readonly redirectUrl?: string;
  /** HTTPS URL of the client metadata document, for servers that accept one instead of client registration. */
  readonly clientMetadataUrl?: string;
}
