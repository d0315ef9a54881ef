import type { MetaStore } from '../ports/meta-store.ts';

/** Small texts that last as long as the process. */
export function createMemoryMeta(): MetaStore {
  const texts = new Map<string, string>();
  return {
    get: async (name) => texts.get(name),
    set: async (name, value) => void texts.set(name, value),
  };
}
