/** What an identity provider says about a person at a sign-in. */
export interface UserClaims {
  /** The provider. Together with `subject` it identifies the person for ever; names and addresses can change. */
  readonly issuer: string;
  readonly subject: string;
  readonly name?: string;
  readonly email?: string;
  readonly groups: readonly string[];
  /** The roles and the profile that the configuration assigns to the groups. Without a role, the person has no access. */
  readonly roles: readonly string[];
  readonly profile?: string;
  /** When the provider issued the claims. */
  readonly claimsAt: string;
}

/** A role that somebody granted to a person for a time. */
export interface Elevation {
  /** The id of the request. */
  readonly id: string;
  readonly role: string;
  readonly until: string;
}

/** A person who has signed in. */
export interface User extends UserClaims {
  readonly id: string;
  /** Rises when the roles or profile change and when the user is disabled: sessions of earlier versions are over. */
  readonly sessionVersion: number;
  readonly createdAt: string;
  readonly lastSeenAt?: string;
  readonly disabledAt?: string;
  readonly elevation?: Elevation;
  /** When the provider ended all sessions of the person: tokens that it issued before are invalid. */
  readonly sessionsEndedAt?: string;
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
  /** Ends all sessions, tokens issued until then, and a role that was granted for a time. Returns false if there is no such user. */
  endSessions(id: string, at: string): Promise<boolean>;
  /** Grants a role for a time, or ends the elevation with this id. Returns false if there is no such user, or another elevation. */
  elevate(id: string, elevation: Elevation): Promise<boolean>;
  endElevation(id: string, elevation: string): Promise<boolean>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** The user after claims are saved; the same in every database. */
export function applyClaims(before: User | undefined, id: string, claims: UserClaims): User {
  if (!before) return { id, ...claims, sessionVersion: 1, createdAt: claims.claimsAt };
  if (Date.parse(claims.claimsAt) < Date.parse(before.claimsAt)) return before;
  const hasSameAccess = sameRoles(before.roles, claims.roles) && before.profile === claims.profile;
  const { sessionVersion } = before;
  return { ...before, ...claims, sessionVersion: hasSameAccess ? sessionVersion : sessionVersion + 1 };
}

function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((role) => other.includes(role));
}

/** The role that was granted for a time, while the time lasts. */
export function elevationOf({ elevation }: Pick<User, 'elevation'>, now = Date.now()): Elevation | undefined {
  return elevation && Date.parse(elevation.until) > now ? elevation : undefined;
}

/** The roles of a person now. */
export function rolesOf(user: User): string[] {
  const elevation = elevationOf(user);
  return [...new Set([...user.roles, ...(elevation ? [elevation.role] : [])])];
}
