import { ToolwharfError } from '../../../contract/errors.ts';
import type { Conversation } from '../../../contract/records/conversation.ts';
import type { Role } from '../../../contract/records/role.ts';
import { type Permission, shippedRoles, withImplied } from '../../../contract/rights.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { userCallerId, userOf } from '../../../toolwharf/kernel/user-caller.ts';
import type { RecordStore } from '../../../toolwharf/storage/ports/record-store.ts';
import { elevationOf, rolesOf, type User, type UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import { type Identity, seesAll } from './identity.ts';
import { createLastUse } from './last-use.ts';

/** Whether a user may use the gateway at all. */
export function mayUse(user: User | undefined): user is User {
  return user !== undefined && user.disabledAt === undefined && user.roles.length > 0;
}

/** The stored roles. */
export type RoleStore = Pick<RecordStore<Role>, 'find'>;

/** Looks up the identities of users. A disabled user has none from the next request on. */
export interface Users {
  /** The identity of a session; undefined if the session is of an earlier version. */
  findForSession(id: string, sessionVersion: number): Promise<Identity | undefined>;
}

export interface UsersOptions {
  readonly store: UserStore;
  readonly roles: RoleStore;
  readonly log: Log;
}

export function createUsers({ store, roles, log }: UsersOptions): Users {
  const touch = createLastUse({ store, log, what: 'the last request of a user' });
  return {
    async findForSession(id, sessionVersion) {
      const user = await store.get(id);
      if (!mayUse(user) || user.sessionVersion !== sessionVersion) return undefined;
      touch(id);
      return toIdentity(user, roles);
    },
  };
}

/** The permissions of roles. A role that does not exist grants none. */
export async function permissionsOfRoles(names: readonly string[], roles: RoleStore): Promise<ReadonlySet<Permission>> {
  const sets = await Promise.all(
    names.map(async (name) =>
      Object.hasOwn(shippedRoles, name)
        ? shippedRoles[name as keyof typeof shippedRoles].permissions
        : ((await roles.find(name))?.permissions ?? []),
    ),
  );
  return withImplied(sets.flat());
}

/** The identity of a user, with a role that was granted for a time. */
export async function toIdentity(user: User, roles: RoleStore): Promise<Identity> {
  const { id, name, email, profile } = user;
  const permissions = await permissionsOfRoles(rolesOf(user), roles);
  return {
    caller: { id: userCallerId(id), kind: 'person', name: name ?? email, user: id },
    permissions,
    profile: permissions.has('profiles.use-all') ? undefined : (profile ?? 'default'),
    roles: rolesOf(user),
    elevation: elevationOf(user),
    via: 'sign-in',
  };
}

/** Rejects if a user has lost access, or may no longer use what a conversation of theirs began with. */
export async function assertOwnerAccess(
  { owner, profile }: Pick<Conversation, 'owner' | 'profile'>,
  { users, roles }: { readonly users: Pick<UserStore, 'get'>; readonly roles: RoleStore },
): Promise<void> {
  const id = userOf(owner);
  if (id === undefined) return;
  const user = await users.get(id);
  if (!mayUse(user)) throw new ToolwharfError('CALL_DENIED', 'The owner of this conversation has no access any more.');
  const identity = await toIdentity(user, roles);
  const isAllowed = identity.permissions.has('conversations.use');
  if (isAllowed && (seesAll(identity) || profile === identity.profile)) return;
  const message = 'Your access has changed since this conversation began. Start a new conversation.';
  throw new ToolwharfError('CALL_DENIED', message);
}
