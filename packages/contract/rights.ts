/** The rights that a key can have. Administrators have every right. */
export const keyRights = ['read', 'call', 'admin'] as const;

export type KeyRight = (typeof keyRights)[number];

/** The right a route requires; `public` needs no authentication. */
export type Right = 'public' | KeyRight;

/** What a user may do. `none` is a user whom the identity provider no longer grants access. */
export const userRoles = ['admin', 'approver', 'member', 'none'] as const;
export type UserRole = (typeof userRoles)[number];
