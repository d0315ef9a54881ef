import { type Pin, type PinStore, pinKey } from '../../catalog/pins.ts';
import { isEmptyOverride, type ToolOverride, type ToolOverrideStore } from '../../catalog/tool-overrides.ts';
import type { ServerRecord } from '../../config/server-record.ts';
import type { Account, AccountStore } from '../../connections/accounts/account-store.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';
import { nameTaken, type ServerStore } from '../../servers/server-store.ts';
import type { Assistant, AssistantStore } from '../ports/assistant-store.ts';
import { type ApiKey, type KeyStore, touchPrecisionMs } from '../ports/key-store.ts';
import type { ModelSettings, ModelSettingsStore } from '../ports/model-settings-store.ts';
import { type ProfileRecord, type ProfileStore, profileNameTaken } from '../ports/profile-store.ts';
import type { Provider, ProviderStore } from '../ports/provider-store.ts';
import { compareNames, type SavedRequest, type SavedRequestStore } from '../ports/saved-request-store.ts';
import { type ScriptRecord, type ScriptStore, scriptNameTaken } from '../ports/script-store.ts';
import { applyClaims, type User, type UserStore } from '../ports/user-store.ts';
import { maxStoredVectors, type VectorStore } from '../ports/vector-store.ts';
import type { MetaStore } from '../storage.ts';

/** Pins in memory. */
export function createMemoryPins(): PinStore {
  const pins = new Map<string, Map<string, Pin>>();
  const pinsOf = (serverAddress: string) => pins.get(serverAddress) ?? new Map<string, Pin>();
  return {
    get: async (serverAddress, tool) => pinsOf(serverAddress).get(tool),
    readHashes: async (serverAddress) => new Map(pinsOf(serverAddress)),
    async setAll(added) {
      for (const pin of added) pins.set(pin.serverAddress, pinsOf(pin.serverAddress).set(pin.tool, pin));
    },
    async setSuffixed(serverAddress, tools) {
      const own = pinsOf(serverAddress);
      for (const tool of tools) {
        const pin = own.get(tool);
        if (pin) own.set(tool, { ...pin, suffixed: true });
      }
    },
    async list({ after = '', limit } = {}) {
      const all = [...pins.values()].flatMap((own) => [...own.values()]).map((pin) => ({ key: pinKey(pin), pin }));
      const rest = all.filter(({ key }) => key > after).sort((one, other) => (one.key < other.key ? -1 : 1));
      return rest.slice(0, limit).map(({ pin }) => pin);
    },
  };
}

/** Approval rules in memory. */
export function createMemoryRules(): RuleStore {
  const rules = new Map<string, RememberedRule>();
  return {
    list: async () => [...rules.values()],
    current: () => [...rules.values()],
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
  return createNamedRecords<Assistant>();
}

/** Model providers in memory. */
export function createMemoryProviders(): ProviderStore {
  return createNamedRecords<Provider>();
}

/** Model settings in memory. */
export function createMemoryModelSettings(): ModelSettingsStore {
  const settings = new Map<string, ModelSettings>();
  const keyOf = (provider: string, model: string) => JSON.stringify([provider, model]);
  return {
    list: async () => [...settings.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item),
    get: async (provider, model) => settings.get(keyOf(provider, model)),
    put: async (item) => void settings.set(keyOf(item.provider, item.model), item),
    remove: async (provider, model) => settings.delete(keyOf(provider, model)),
  };
}

/** Profiles in memory. */
export function createMemoryProfiles(): ProfileStore {
  return createNamedRecords<ProfileRecord>((record, others) => {
    for (const { id, name } of others) if (name === record.name && id !== record.id) throw profileNameTaken(name);
  });
}

/** Saved scripts in memory. */
export function createMemoryScripts(): ScriptStore {
  return createNamedRecords<ScriptRecord>((record, others) => {
    for (const { id, name } of others) if (name === record.name && id !== record.id) throw scriptNameTaken(name);
  });
}

/** Tool overrides in memory. */
export function createMemoryToolOverrides(): ToolOverrideStore {
  const overrides = new Map<string, ToolOverride>();
  return {
    list: async () => [...overrides.values()],
    async setAll(changed) {
      for (const override of changed) {
        if (isEmptyOverride(override)) overrides.delete(toolKey(override));
        else overrides.set(toolKey(override), override);
      }
    },
  };
}

/** Servers in memory. */
export function createMemoryServers(): ServerStore {
  return createNamedRecords<ServerRecord>((record, others) => {
    for (const { id, name } of others) if (name === record.name && id !== record.id) throw nameTaken(name);
  });
}

function createNamedRecords<Item extends { readonly id: string; readonly name: string }>(
  assertValid: (item: Item, others: Iterable<Item>) => void = () => {},
) {
  const records = new Map<string, Item>();
  return {
    async list(): Promise<readonly Item[]> {
      return structuredClone([...records.values()].sort((one, other) => (one.name < other.name ? -1 : 1)));
    },
    async get(id: string) {
      return structuredClone(records.get(id));
    },
    async put(item: Item) {
      assertValid(item, records.values());
      records.set(item.id, structuredClone(item));
    },
    async remove(id: string) {
      return records.delete(id);
    },
  };
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

/** Saved requests in memory. */
export function createMemorySavedRequests(): SavedRequestStore {
  const requests = new Map<string, SavedRequest>();
  return {
    list: async (owner) =>
      structuredClone(
        [...requests.values()].filter((request) => request.owner === owner || request.shared).sort(compareNames),
      ),
    get: async (id) => structuredClone(requests.get(id)),
    count: async (owner) => [...requests.values()].filter((request) => request.owner === owner).length,
    put: async (request) => void requests.set(request.id, structuredClone(request)),
    remove: async (id) => requests.delete(id),
  };
}

/** Vectors in memory. Those that were added first are removed first. */
export function createMemoryVectors(): VectorStore {
  const stored = new Map<string, Float32Array>();
  return {
    async getAll(keys) {
      const found = keys.map((key) => [key, stored.get(key)] as const);
      return new Map(found.filter((entry): entry is readonly [string, Float32Array] => entry[1] !== undefined));
    },
    async putAll(vectors) {
      for (const [key, vector] of vectors) stored.set(key, vector);
      for (const [oldest] of stored) {
        if (stored.size <= maxStoredVectors) return;
        stored.delete(oldest);
      }
    },
  };
}

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
