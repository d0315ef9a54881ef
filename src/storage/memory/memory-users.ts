import { touchPrecisionMs } from '../ports/key-store.ts';
import { applyClaims, type User, type UserStore } from '../ports/user-store.ts';

/** Users in memory. */
export function createMemoryUsers(): UserStore {
  const users = new Map<string, User>();
  const find = (issuer: string, subject: string) =>
    [...users.values()].find((user) => user.issuer === issuer && user.subject === subject);
  return {
    list: async () => structuredClone([...users.values()]),
    get: async (id) => structuredClone(users.get(id)),
    find: async (issuer, subject) => structuredClone(find(issuer, subject)),
    async save(id, claims) {
      const user = structuredClone(applyClaims(find(claims.issuer, claims.subject), id, claims));
      users.set(user.id, user);
      return structuredClone(user);
    },
    async touch(id, at) {
      const user = users.get(id);
      const isNews = user?.lastSeenAt === undefined || Date.parse(at) - Date.parse(user.lastSeenAt) >= touchPrecisionMs;
      if (user && isNews) users.set(id, { ...user, lastSeenAt: at });
    },
    async disable(id, at) {
      const user = users.get(id);
      if (!user || user.disabledAt !== undefined) return false;
      users.set(id, { ...user, disabledAt: at, sessionVersion: user.sessionVersion + 1 });
      return true;
    },
    async enable(id) {
      const user = users.get(id);
      if (user?.disabledAt === undefined) return false;
      users.set(id, { ...user, disabledAt: undefined });
      return true;
    },
    remove: async (id) => users.delete(id),
  };
}
