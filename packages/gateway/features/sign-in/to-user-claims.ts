import type { UserRole } from '../../../contract/rights.ts';
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

/** The provider's claims about a person, with the role and profile of their groups. Undefined if the subject is invalid. */
export function toUserClaims(claims: TokenClaims, settings: OidcConfig): UserClaims | undefined {
  const { iss, sub, iat } = claims;
  if (sub === '' || sub.length > maxSubject || sub.includes('\0')) return undefined;
  const groups = groupsOf(claims, settings.groupsClaim);
  const role = roleOf(groups, settings);
  return {
    issuer: iss,
    subject: sub,
    name: toText(claims.name) ?? toText(claims.preferred_username),
    email: toText(claims.email),
    groups,
    role,
    profile: role === 'admin' ? undefined : profileOf(groups, settings),
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

function roleOf(groups: readonly string[], { roles, defaultRole }: OidcConfig): UserRole {
  const isIn = (wanted: readonly string[] = []) => wanted.some((group) => groups.includes(group));
  const role = (['admin', 'approver', 'member'] as const).find((candidate) => isIn(roles[candidate]));
  return role ?? defaultRole;
}

function profileOf(groups: readonly string[], { profiles }: OidcConfig): string | undefined {
  return Object.entries(profiles).find(([, wanted]) => wanted.some((group) => groups.includes(group)))?.[0];
}

function toText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.replaceAll('\0', '').slice(0, maxText);
}
