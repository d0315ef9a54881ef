import type { Provider, ProviderStore } from '../ports/provider-store.ts';

/** Providers of models that are known as long as the process lasts. */
export function createMemoryProviders(): ProviderStore {
  const providers = new Map<string, Provider>();
  return {
    async list() {
      return structuredClone([...providers.values()].sort((one, other) => (one.name < other.name ? -1 : 1)));
    },
    async get(id) {
      return structuredClone(providers.get(id));
    },
    async put(provider) {
      providers.set(provider.id, structuredClone(provider));
    },
    async remove(id) {
      return providers.delete(id);
    },
  };
}
