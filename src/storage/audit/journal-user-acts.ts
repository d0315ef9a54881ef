import type { JsonObject } from '../../kernel/json.ts';
import { applyClaims, type User, type UserStore } from '../ports/user-store.ts';
import { hashUser } from './tracked-state.ts';

/** Records a signed act. */
export type RecordAct = (
  act: string,
  subject: string,
  more?: { readonly hash?: string; readonly actor?: string; readonly details?: JsonObject },
) => Promise<void>;

/** Records the act, then carries it out; if that fails, records `undo`. */
export type Recorded = <Value>(
  first: () => Promise<void>,
  work: () => Promise<Value>,
  undo: () => Promise<void>,
) => Promise<Value>;

/** The same store, which records changes of what users may do. A sign-in that changes nothing is no act. */
export function journalUserActs(users: UserStore, record: RecordAct, recorded: Recorded): UserStore {
  const describe = ({ role, profile, name, email }: User): JsonObject => ({ role, profile, name, email });

  async function change(id: string, act: string, change: Partial<User>, work: () => Promise<boolean>) {
    const before = await users.get(id);
    if (!before) return false;
    const after = { ...before, ...change };
    if (hashUser(before) === hashUser(after)) return work();
    return recorded(
      () => record(`user.${act}`, `user/${id}`, { hash: hashUser(after), details: describe(after) }),
      work,
      () => record(`user.not-${act}`, `user/${id}`, { hash: hashUser(before) }),
    );
  }

  return {
    ...users,
    async save(id, claims) {
      const before = await users.find(claims.issuer, claims.subject);
      const expected = applyClaims(before, id, claims);
      const subject = `user/${expected.id}`;
      if (before && hashUser(before) === hashUser(expected)) return users.save(id, claims);
      const saved = await recorded(
        () =>
          record(before ? 'user.changed' : 'user.added', subject, {
            hash: hashUser(expected),
            details: describe(expected),
          }),
        () => users.save(id, claims),
        () => record('user.not-saved', subject, { hash: before && hashUser(before) }),
      );
      if (hashUser(saved) === hashUser(expected)) return saved;
      // Another sign-in of the same person was faster.
      if (saved.id !== expected.id) await record('user.not-saved', subject);
      await record('user.changed', `user/${saved.id}`, { hash: hashUser(saved), details: describe(saved) });
      return saved;
    },
    disable: (id, at) => change(id, 'disabled', { disabledAt: at }, () => users.disable(id, at)),
    enable: (id) => change(id, 'enabled', { disabledAt: undefined }, () => users.enable(id)),
    async remove(id) {
      const before = await users.get(id);
      if (!before) return false;
      return recorded(
        () => record('user.removed', `user/${id}`, { details: describe(before) }),
        () => users.remove(id),
        () => record('user.not-removed', `user/${id}`, { hash: hashUser(before) }),
      );
    },
  };
}
