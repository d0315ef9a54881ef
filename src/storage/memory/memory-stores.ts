import type { Pin, PinStore } from '../../catalog/pins.ts';
import type { ServerRecord } from '../../config/server-record.ts';
import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';
import type { ServerStore } from '../../servers/server-store.ts';
import { nameTaken } from '../../servers/server-store.ts';
import type { Assistant, AssistantStore } from '../ports/assistant-store.ts';
import { type ApiKey, type KeyStore, touchPrecisionMs } from '../ports/key-store.ts';
import type { Provider, ProviderStore } from '../ports/provider-store.ts';
import type { MetaStore } from '../storage.ts';

/** Pins in memory. */
export function createMemoryPins(): PinStore {
  const pins = new Map<string, Pin>();
  const keyOf = (serverAddress: string, tool: string) => JSON.stringify([serverAddress, tool]);
  return {
    get: async (serverAddress, tool) => pins.get(keyOf(serverAddress, tool)),
    set: async (pin) => void pins.set(keyOf(pin.serverAddress, pin.tool), pin),
    list: async () => [...pins.values()],
  };
}

/** Approval rules in memory. */
export function createMemoryRules(): RuleStore {
  const rules = new Map<string, RememberedRule>();
  return {
    list: async () => [...rules.values()],
    add: async (rule) => void rules.set(rule.id, rule),
    remove: async (id) => rules.delete(id),
  };
}

/** Small named texts in memory. */
export function createMemoryMeta(): MetaStore {
  const texts = new Map<string, string>();
  return {
    get: async (name) => texts.get(name),
    set: async (name, value) => void texts.set(name, value),
  };
}

/** Assistants in memory. */
export function createMemoryAssistants(): AssistantStore {
  const assistants = new Map<string, Assistant>();
  return {
    async list() {
      return structuredClone([...assistants.values()].sort((one, other) => (one.name < other.name ? -1 : 1)));
    },
    async get(id) {
      return structuredClone(assistants.get(id));
    },
    async put(assistant) {
      assistants.set(assistant.id, structuredClone(assistant));
    },
    async remove(id) {
      return assistants.delete(id);
    },
  };
}

/** Model providers in memory. */
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

/** Servers in memory. */
export function createMemoryServers(): ServerStore {
  const records = new Map<string, ServerRecord>();
  return {
    async list() {
      return structuredClone([...records.values()].sort((one, other) => compare(one.name, other.name)));
    },
    async get(id) {
      return structuredClone(records.get(id));
    },
    async put(record) {
      for (const { id, name } of records.values()) if (name === record.name && id !== record.id) throw nameTaken(name);
      records.set(record.id, structuredClone(record));
    },
    async remove(id) {
      return records.delete(id);
    },
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** API keys in memory. */
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
