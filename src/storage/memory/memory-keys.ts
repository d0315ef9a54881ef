import { type ApiKey, type KeyStore, touchPrecisionMs } from '../ports/key-store.ts';

/** API keys that are good as long as the process lasts. */
export function createMemoryKeys(): KeyStore {
  const keys = new Map<string, ApiKey>();
  return {
    list: async () => [...keys.values()],
    get: async (id) => keys.get(id),
    findByHash: async (hash) => [...keys.values()].find((key) => key.hash === hash && key.revokedAt === undefined),
    add: async (key) => void keys.set(key.id, key),
    async touch(id, at) {
      const key = keys.get(id);
      const isNews = key?.lastUsedAt === undefined || Date.parse(at) - Date.parse(key.lastUsedAt) >= touchPrecisionMs;
      if (key && isNews) keys.set(id, { ...key, lastUsedAt: at });
    },
    async revoke(id, at) {
      const key = keys.get(id);
      if (!key || key.revokedAt !== undefined) return false;
      keys.set(id, { ...key, revokedAt: at });
      return true;
    },
  };
}
