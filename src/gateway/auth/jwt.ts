import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { JwtConfig } from '../../config/config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { Identity } from './identity.ts';

// Only signatures with a private key: with a shared secret, whoever can check a token can make one.
const algorithms = [
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

/** Finds whom an identity provider's token belongs to; undefined for one that is not good. */
export interface JwtVerifier {
  verify(token: string): Promise<Identity | undefined>;
}

/** Checks signature, issuer, audience and times. The provider's keys are fetched once and again when they change. */
export function createJwtVerifier(config: JwtConfig): JwtVerifier {
  const keys = createRemoteJWKSet(new URL(config.jwksUrl), { timeoutDuration: 5_000, cooldownDuration: 10_000 });
  const { issuer, audience } = config;
  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms,
          requiredClaims: ['exp', 'sub'],
          clockTolerance: 5,
        });
        return toIdentity(payload, config);
      } catch (cause) {
        if (isProvidersFault(cause)) {
          const message =
            "The identity provider's keys can't be read, so no token of it can be checked: try again later";
          throw new ToolwharfError('SERVER_UNREACHABLE', message, { cause });
        }
        return undefined;
      }
    },
  };
}

/** True for a text of three parts, as tokens are. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

function toIdentity(claims: JWTPayload, config: JwtConfig): Identity | undefined {
  const { profileClaim, adminClaim, adminValue } = config;
  const isAdmin =
    adminClaim !== undefined && adminValue !== undefined && textsAt(claims, adminClaim).includes(adminValue);
  const profile = profileClaim === undefined ? 'default' : textsAt(claims, profileClaim)[0];
  // Where profiles are told apart, a token without one opens none.
  if (profile === undefined && !isAdmin) return undefined;
  const name = [claims.name, claims.preferred_username, claims.email].find((text) => typeof text === 'string');
  return {
    caller: { id: `jwt:${claims.sub}`, kind: 'person', ...(typeof name === 'string' && { name }) },
    ...(profile !== undefined && !isAdmin && { profile }),
    isAdmin,
    via: 'jwt',
  };
}

/** The texts a claim holds, one or a list. `realm_access.roles` finds a claim of that name, else `roles` in `realm_access`. */
function textsAt(claims: JWTPayload, name: string): string[] {
  let value: unknown = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (value === undefined) {
    value = claims;
    for (const part of name.split('.')) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return [value].flat().filter((text) => typeof text === 'string');
}

/** Everything that is not the token's own fault. */
function isProvidersFault(cause: unknown): boolean {
  if (!(cause instanceof errors.JOSEError)) return true;
  return (
    cause instanceof errors.JWKSTimeout ||
    cause instanceof errors.JWKSInvalid ||
    cause instanceof errors.JWKInvalid ||
    cause.code === 'ERR_JOSE_GENERIC'
  );
}
