import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { JWTVerifyGetKey } from 'jose';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { OidcConfig } from '../../../contract/settings/oidc-config.ts';
import { actAs } from '../../../toolwharf/storage/audit/acts.ts';
import type { User, UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import { hasClaim, readClaim } from '../../core/auth/claims.ts';
import type { Identity } from '../../core/auth/identity.ts';
import { isProviderFailure, tokenAlgorithms } from '../../core/auth/jwt.ts';
import type { AccessTokens } from '../../core/auth/sign-in.ts';
import { mayUse, toIdentity } from '../../core/auth/users.ts';
import type { IdentityProvider, OpenedProvider } from './identity-provider.ts';
import type { PublicUrl } from './public-url.ts';
import { type TokenClaims, toUserClaims } from './to-user-claims.ts';

export interface AccessTokensOptions {
  readonly provider: IdentityProvider;
  readonly publicUrl: PublicUrl;
  readonly users: UserStore;
}

type Jose = typeof import('jose');

export function createAccessTokens({ provider, publicUrl, users }: AccessTokensOptions): AccessTokens {
  let keys: { readonly url: string; readonly get: JWTVerifyGetKey } | undefined;

  function keysOf({ client }: OpenedProvider, jose: Jose): JWTVerifyGetKey {
    const url = client.serverMetadata().jwks_uri;
    if (url === undefined) throw new ToolwharfError('SERVER_UNREACHABLE', 'The identity provider publishes no keys');
    if (keys?.url !== url) {
      const options = { timeoutDuration: 5_000, cooldownDuration: 10_000 };
      keys = { url, get: jose.createRemoteJWKSet(new URL(url), options) };
    }
    return keys.get;
  }

  async function readClaims(token: string, audience: string[]): Promise<TokenClaims | undefined> {
    const opened = await provider.open();
    const jose = await import('jose');
    try {
      const { payload } = await jose.jwtVerify(token, keysOf(opened, jose), {
        issuer: opened.settings.issuer,
        audience,
        algorithms: tokenAlgorithms,
        requiredClaims: ['exp', 'sub', 'iat'],
        clockTolerance: 5,
      });
      return payload as TokenClaims;
    } catch (cause) {
      if (!isProviderFailure(cause, jose)) return undefined;
      const message = "Could not fetch the identity provider's keys to verify the token: try again later";
      throw new ToolwharfError('SERVER_UNREACHABLE', message, { cause });
    }
  }

  /** The user of the token. Tokens decide on the role only if they name groups, and are newer than the last claims. */
  async function findUser(claims: TokenClaims, settings: OidcConfig): Promise<User | undefined> {
    const said = toUserClaims(claims, settings);
    // A client that acts for itself is no person (RFC 9068, section 2.2).
    if (!said || claims.sub === claims.client_id) return undefined;
    const known = await users.find(said.issuer, said.subject);
    const isNewer = known && hasClaim(claims, settings.groupsClaim) && said.claimsAt > known.claimsAt;
    if (known && !isNewer) return known;
    if (!known && said.role === 'none') return undefined;
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
      const claims = await readClaims(token, audiencesFor(request, base));
      if (!claims) return undefined;
      const user = await findUser(claims, settings);
      if (!mayUse(user))
        throw new ToolwharfError('FORBIDDEN', 'You have no access to this gateway: ask an administrator');
      return withScopes(toIdentity(user), scopesOf(claims), settings.tokenScopes);
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
  return {
    ...identity,
    isAdmin: identity.isAdmin && scopes.has(admin),
    rights: [...(scopes.has(read) ? (['read'] as const) : []), ...(scopes.has(call) ? (['call'] as const) : [])],
    // An administrator's client without the scope for administration still opens every profile.
    usesEveryProfile: identity.isAdmin,
    role: identity.isAdmin && !scopes.has(admin) ? 'member' : identity.role,
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
