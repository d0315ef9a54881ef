import type { UserRole } from '../../../contract/rights.ts';

/** What an identity provider says about a person at a sign-in. */
export interface UserClaims {
  /** The provider. Together with `subject` it identifies the person for ever; names and addresses can change. */
  readonly issuer: string;
  readonly subject: string;
  readonly name?: string;
  readonly email?: string;
  readonly groups: readonly string[];
  /** The role and the profile that the configuration assigns to the groups. */
  readonly role: UserRole;
  readonly profile?: string;
  /** When the provider issued the claims. */
  readonly claimsAt: string;
}

/** A person who has signed in. */
export interface User extends UserClaims {
  readonly id: string;
  /** Rises when the role or profile changes and when the user is disabled: sessions of earlier versions are over. */
  readonly sessionVersion: number;
  readonly createdAt: string;
  readonly lastSeenAt?: string;
  readonly disabledAt?: string;
}

/** The store of users. */
export interface UserStore {
  /** Oldest first, including disabled users. */
  list(): Promise<readonly User[]>;
  get(id: string): Promise<User | undefined>;
  find(issuer: string, subject: string): Promise<User | undefined>;
  /**
   * Adds the user with this id, or updates the one with the same issuer and subject, who keeps the id and stays disabled.
   * Claims that are older than the stored ones change nothing. Returns the stored user.
   */
  save(id: string, claims: UserClaims): Promise<User>;
  /** Records the last request to the minute, so that most requests write nothing. */
  touch(id: string, at: string): Promise<void>;
  /** Returns false if there is none with this id, or it is already disabled. */
  disable(id: string, at: string): Promise<boolean>;
  /** Returns false if there is none with this id, or it is not disabled. */
  enable(id: string): Promise<boolean>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** The user after claims are saved; the same in every database. */
export function applyClaims(before: User | undefined, id: string, claims: UserClaims): User {
  if (!before) return { id, ...claims, sessionVersion: 1, createdAt: claims.claimsAt };
  if (Date.parse(claims.claimsAt) < Date.parse(before.claimsAt)) return before;
  const hasSameAccess = before.role === claims.role && before.profile === claims.profile;
  const { sessionVersion } = before;
  return { ...before, ...claims, sessionVersion: hasSameAccess ? sessionVersion : sessionVersion + 1 };
}
