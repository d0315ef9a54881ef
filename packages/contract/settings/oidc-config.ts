/** Sign-in of people through an identity provider (OpenID Connect). */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** May be a `${VAR}` or `${file:…}` reference. Undefined for a public client. */
  readonly clientSecret?: string;
  readonly clientAuthentication: 'basic' | 'post';
  /** The name of the provider; its host name if undefined. */
  readonly name?: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  /** The groups of each role. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** The role of people without such a group; `none` denies access. */
  readonly defaultRole: string;
  /** The groups of each profile, in the order in which they are tried. */
  readonly profiles: Readonly<Record<string, readonly string[]>>;
  /** The scopes in access tokens that grant each right. */
  readonly tokenScopes: { readonly read: string; readonly call: string; readonly admin: string };
}
