import { acceptanceHash, type Pin, type PinStore, pinKey } from '../../catalog/pins.ts';
import { isEmptyOverride, type ToolOverride, type ToolOverrideStore } from '../../catalog/tool-overrides.ts';
import type { Account, AccountStore } from '../../connections/accounts/account-store.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';

/** Pins in memory. */
export function createMemoryPins(): PinStore {
  const pins = new Map<string, Map<string, Pin>>();
  const pinsOf = (serverAddress: string) => pins.get(serverAddress) ?? new Map<string, Pin>();
  return {
    get: async (serverAddress, tool) => pinsOf(serverAddress).get(tool),
    readHashes: async (serverAddress) => new Map(pinsOf(serverAddress)),
    readAll: async (serverAddress) => [...pinsOf(serverAddress).values()],
    async setAll(added) {
      for (const pin of added) pins.set(pin.serverAddress, pinsOf(pin.serverAddress).set(pin.tool, pin));
    },
    async setSuffixed(serverAddress, tools) {
      const pinsOfServer = pinsOf(serverAddress);
      for (const tool of tools) {
        const pin = pinsOfServer.get(tool);
        if (pin) pinsOfServer.set(tool, { ...pin, suffixed: true });
      }
    },
    async listHashes() {
      const all = [...pins.values()].flatMap((pinsOfServer) => [...pinsOfServer.values()]);
      return new Map(all.map((pin) => [pinKey(pin), acceptanceHash(pin)]));
    },
    async list({ after = '', limit } = {}) {
      const all = [...pins.values()]
        .flatMap((pinsOfServer) => [...pinsOfServer.values()])
        .map((pin) => ({ key: pinKey(pin), pin }));
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
