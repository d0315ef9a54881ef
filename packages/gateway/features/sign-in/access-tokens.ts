import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../../contract/errors.ts';
import { rightSets } from '../../../contract/rights.ts';
import type { OidcConfig } from '../../../contract/settings/oidc-config.ts';
import { actAs } from '../../../toolwharf/storage/audit/acts.ts';
import type { User, UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import { hasClaim, readClaim } from '../../core/auth/claims.ts';
import { type Identity, seesAll } from '../../core/auth/identity.ts';
import type { AccessTokens } from '../../core/auth/sign-in.ts';
import { mayUse, type RoleStore, toIdentity } from '../../core/auth/users.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { ProviderTokens } from './provider-tokens.ts';
import type { PublicUrl } from './public-url.ts';
import { type TokenClaims, toUserClaims } from './to-user-claims.ts';

export interface AccessTokensOptions {
  readonly provider: IdentityProvider;
  readonly tokens: ProviderTokens;
  readonly publicUrl: PublicUrl;
  readonly users: UserStore;
  readonly roles: RoleStore;
}

export function createAccessTokens({ provider, tokens, publicUrl, users, roles }: AccessTokensOptions): AccessTokens {
  /** The user of the token. Tokens decide on the role only if they name groups, and are newer than the last claims. */
  async function findUser(claims: TokenClaims, settings: OidcConfig): Promise<User | undefined> {
    const said = toUserClaims(claims, settings);
    // A client that acts for itself is no person (RFC 9068, section 2.2).
    if (!said || claims.sub === claims.client_id) return undefined;
    const known = await users.find(said.issuer, said.subject);
    const isNewer = known && hasClaim(claims, settings.groupsClaim) && said.claimsAt > known.claimsAt;
    if (known && !isNewer) return known;
    if (!known && said.roles.length === 0) return undefined;
    // Access tokens often leave out names.
    const { name = known?.name, email = known?.email } = said;
    return actAs('sign-in', () => users.save(randomUUID(), { ...said, name, email }));
  }

  return {
    isMeant(token) {
      const { issuer } = provider.settings() ?? {};
      return issuer !== undefined && issuerOf(token) === issuer;
    },
    async verify(token, request) {
      const base = publicUrl(request);
      const settings = provider.settings();
      if (base === undefined || !settings) return undefined;
      const audience = audiencesFor(request, base);
      const claims = await tokens.readClaims(token, { audience, requiredClaims: ['exp', 'sub', 'iat'] });
      if (!claims) return undefined;
      const user = await findUser(claims, settings);
      if (!mayUse(user))
        throw new ToolwharfError('FORBIDDEN', 'You have no access to this gateway: ask an administrator');
      // The client gets another token if the person has a session at the provider.
      if (user.sessionsEndedAt !== undefined && claims.iat * 1_000 <= Date.parse(user.sessionsEndedAt))
        return undefined;
      return withScopes(await toIdentity(user, roles), scopesOf(claims), settings.tokenScopes);
    },
  };
}

/** A token is valid at its audience and below: `/mcp` opens every profile, `/mcp/team` that profile, the origin everything. */
function audiencesFor({ url = '/' }: IncomingMessage, base: string): string[] {
  const profile = /^\/mcp\/([^/?#]+)/.exec(url)?.[1];
  const paths = ['', '/'];
  if (/^\/mcp(?:[/?#]|$)/.test(url)) paths.push('/mcp');
  if (profile !== undefined) paths.push(`/mcp/${profile}`);
  return paths.map((path) => `${base}${path}`);
}

/** The scopes of a token: `scope` of RFC 9068, or `scp`, as text or as a list. */
function scopesOf(claims: TokenClaims): ReadonlySet<string> {
  return new Set([...readClaim(claims, 'scope'), ...readClaim(claims, 'scp')].flatMap((text) => text.split(' ')));
}

/** The identity with no more rights than the scopes grant. */
function withScopes(
  identity: Identity,
  scopes: ReadonlySet<string>,
  { read, call, admin }: OidcConfig['tokenScopes'],
): Identity {
  const granted = new Set([
    ...(scopes.has(read) ? rightSets.read : []),
    ...(scopes.has(call) ? rightSets.call : []),
    ...(scopes.has(admin) ? rightSets.admin : []),
  ]);
  return {
    ...identity,
    permissions: new Set([...identity.permissions].filter((permission) => granted.has(permission))),
    // A client without the scope for administration still opens every profile that its person may use.
    usesEveryProfile: seesAll(identity),
    via: 'oauth',
  };
}

/** The issuer that a token names. It is not verified. */
function issuerOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { iss } = claims as { readonly iss?: unknown };
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}
