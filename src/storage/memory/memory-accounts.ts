import type { Account, AccountStore } from '../../connections/accounts/account-store.ts';

/** Accounts in memory. */
export function createMemoryAccounts(): AccountStore {
  const accounts = new Map<string, Account>();
  return {
    async list({ server, owner, state } = {}) {
      return [...accounts.values()]
        .filter((account) => server === undefined || account.server === server)
        .filter((account) => owner === undefined || account.owner === owner)
        .filter((account) => state === undefined || account.state === state)
        .map((account) => structuredClone(account));
    },
    async get(id) {
      return structuredClone(accounts.get(id));
    },
    async put(account) {
      for (const [id, other] of accounts) {
        const isRival = other.owner === account.owner && other.server === account.server && id !== account.id;
        if (account.isDefault && isRival) accounts.set(id, { ...other, isDefault: false });
      }
      accounts.set(account.id, structuredClone(account));
    },
    remove: async (id) => accounts.delete(id),
  };
}
