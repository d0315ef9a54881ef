import { ToolwharfError } from '../../../contract/errors.ts';
import type { Conversation } from '../../../contract/records/conversation.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { userCallerId, userOf } from '../../../toolwharf/kernel/user-caller.ts';
import type { User, UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import type { Identity } from './identity.ts';
import { createLastUse } from './last-use.ts';

/** Whether a user may use the gateway at all. */
export function mayUse(user: User | undefined): user is User {
  return user !== undefined && user.disabledAt === undefined && user.role !== 'none';
}

/** Looks up the identities of users. A disabled user has none from the next request on. */
export interface Users {
  /** The identity of a session; undefined if the session is of an earlier version. */
  findForSession(id: string, sessionVersion: number): Promise<Identity | undefined>;
}

export interface UsersOptions {
  readonly store: UserStore;
  readonly log: Log;
}

export function createUsers({ store, log }: UsersOptions): Users {
  const touch = createLastUse({ store, log, what: 'the last request of a user' });
  return {
    async findForSession(id, sessionVersion) {
      const user = await store.get(id);
      if (!mayUse(user) || user.sessionVersion !== sessionVersion) return undefined;
      touch(id);
      return toIdentity(user);
    },
  };
}

/** The identity of a user. Administrators use every profile, others that of their groups. */
export function toIdentity({ id, name, email, role, profile }: User): Identity {
  const isAdmin = role === 'admin';
  return {
    caller: { id: userCallerId(id), kind: 'person', name: name ?? email, user: id },
    profile: isAdmin ? undefined : (profile ?? 'default'),
    isAdmin,
    role: role === 'none' ? undefined : role,
    via: 'sign-in',
  };
}

/** Rejects if a user has lost access, or may no longer use what a conversation of theirs began with. */
export async function assertOwnerAccess(
  { owner, profile }: Pick<Conversation, 'owner' | 'profile'>,
  users: Pick<UserStore, 'get'>,
): Promise<void> {
  const id = userOf(owner);
  if (id === undefined) return;
  const user = await users.get(id);
  if (!mayUse(user)) throw new ToolwharfError('CALL_DENIED', 'The owner of this conversation has no access any more.');
  const { isAdmin, profile: own } = toIdentity(user);
  if (isAdmin || profile === own) return;
  const message = 'Your access has changed since this conversation began. Start a new conversation.';
  throw new ToolwharfError('CALL_DENIED', message);
}
