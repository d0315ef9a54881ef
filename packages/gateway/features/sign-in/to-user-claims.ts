import type { OidcConfig } from '../../../contract/settings/oidc-config.ts';
import type { UserClaims } from '../../../toolwharf/storage/ports/user-store.ts';
import { readClaim } from '../../core/auth/claims.ts';

/** The claims of a token: its issuer, subject and time, and what it says about the person. */
export interface TokenClaims extends Readonly<Record<string, unknown>> {
  readonly iss: string;
  readonly sub: string;
  readonly iat: number;
}

const maxSubject = 255;
const maxText = 200;
const maxGroups = 500;

/** The provider's claims about a person, with the roles and the profile of their groups. Undefined if the subject is invalid. */
export function toUserClaims(claims: TokenClaims, settings: OidcConfig): UserClaims | undefined {
  const { iss, sub, iat } = claims;
  if (sub === '' || sub.length > maxSubject || sub.includes('\0')) return undefined;
  const groups = groupsOf(claims, settings.groupsClaim);
  return {
    issuer: iss,
    subject: sub,
    name: toText(claims.name) ?? toText(claims.preferred_username),
    email: toText(claims.email),
    groups,
    roles: rolesOf(groups, settings),
    profile: profileOf(groups, settings),
    claimsAt: new Date(iat * 1_000).toISOString(),
  };
}

function groupsOf(claims: TokenClaims, groupsClaim: string): string[] {
  // Anyone can register an address that is not theirs.
  if (groupsClaim === 'email' && claims.email_verified !== true) return [];
  return readClaim(claims, groupsClaim)
    .slice(0, maxGroups)
    .map((group) => group.replaceAll('\0', ''));
}

function rolesOf(groups: readonly string[], { roles, defaultRole }: OidcConfig): string[] {
  const found = Object.entries(roles).filter(([, wanted]) => wanted.some((group) => groups.includes(group)));
  if (found.length > 0) return found.map(([role]) => role);
  return defaultRole === 'none' ? [] : [defaultRole];
}

function profileOf(groups: readonly string[], { profiles }: OidcConfig): string | undefined {
  return Object.entries(profiles).find(([, wanted]) => wanted.some((group) => groups.includes(group)))?.[0];
}

function toText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.replaceAll('\0', '').slice(0, maxText);
}
