import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { ToolwharfError } from '../../../contract/errors.ts';
import { permissionsOf } from '../../../contract/rights.ts';
import type { JwtConfig } from '../../../contract/settings/gateway-config.ts';
import { readClaim } from './claims.ts';
import type { Identity } from './identity.ts';

/** Asymmetric signatures only: with a shared secret, anyone who can verify a token can also forge one. */
export const tokenAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The id of a caller with a token is this prefix and the token's subject. */
export const jwtCallerPrefix = 'jwt:';

type Jose = typeof import('jose');

/** Verifies tokens of an identity provider; undefined for an invalid token. */
export interface JwtVerifier {
  verify(token: string): Promise<Identity | undefined>;
}

/** Checks signature, issuer, audience and expiry. The provider's keys are cached and fetched again when they rotate. */
export function createJwtVerifier(config: JwtConfig): JwtVerifier {
  const { issuer, audience } = config;
  let loading: Promise<{ readonly jose: Jose; readonly keys: JWTVerifyGetKey }> | undefined;

  /** Loads the library with the first token. */
  async function load() {
    const jose = await import('jose');
    const options = { timeoutDuration: 5_000, cooldownDuration: 10_000 };
    return { jose, keys: jose.createRemoteJWKSet(new URL(config.jwksUrl), options) };
  }

  return {
    async verify(token) {
      loading ??= load();
      const { jose, keys } = await loading;
      try {
        const { payload } = await jose.jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: tokenAlgorithms,
          requiredClaims: ['exp', 'sub'],
          clockTolerance: 5,
        });
        return toIdentity(payload, config);
      } catch (cause) {
        if (isProviderFailure(cause, jose)) {
          const message = "Could not fetch the identity provider's keys to verify the token: try again later";
          throw new ToolwharfError('SERVER_UNREACHABLE', message, { cause });
        }
        return undefined;
      }
    },
  };
}

/** True for text of three dot-separated base64url parts. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

function toIdentity(claims: JWTPayload, config: JwtConfig): Identity | undefined {
  const { profileClaim, adminClaim, adminValue } = config;
  const isAdmin =
    adminClaim !== undefined && adminValue !== undefined && readClaim(claims, adminClaim).includes(adminValue);
  const profile = profileClaim === undefined ? 'default' : readClaim(claims, profileClaim)[0];
  // If a profile claim is configured, a token without it is rejected.
  if (profile === undefined && !isAdmin) return undefined;
  const name = [claims.name, claims.preferred_username, claims.email].find((text) => typeof text === 'string');
  return {
    caller: {
      id: `${jwtCallerPrefix}${claims.sub}`,
      kind: 'person',
      name: typeof name === 'string' ? name : undefined,
    },
    profile: isAdmin ? undefined : profile,
    permissions: permissionsOf(isAdmin ? ['admin'] : ['read', 'call']),
    via: 'jwt',
  };
}

/** True for every failure that is not caused by the token itself. */
export function isProviderFailure(cause: unknown, { errors }: Jose): boolean {
  if (!(cause instanceof errors.JOSEError)) return true;
  return (
    cause instanceof errors.JWKSTimeout ||
    cause instanceof errors.JWKSInvalid ||
    cause instanceof errors.JWKInvalid ||
    cause.code === 'ERR_JOSE_GENERIC'
  );
}
