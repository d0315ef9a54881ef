import { ToolwharfError } from '../../../contract/errors.ts';
import type { ModelSettings } from '../../../contract/records/model-settings.ts';
import type { RememberedRule, RuleStore } from '../../../toolwharf/policy/remembered-rules.ts';
import type { ApiKey, KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import type { ModelSettingsStore } from '../../../toolwharf/storage/ports/model-settings-store.ts';
import type { RecordStore, Stored, StoredRecords } from '../../../toolwharf/storage/ports/record-store.ts';
import { applyClaims, type User, type UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { modelSettingsId, personKey } from './kinds.ts';
import { modifyRecord, withoutRevision } from './modify-record.ts';

/** The stores of the records. `isExclusive`: no other process changes them. */
export function createRecordStores(
  records: StoredRecords,
  { isExclusive }: { readonly isExclusive: boolean },
): Pick<
  Storage,
  | 'records'
  | 'rules'
  | 'keys'
  | 'users'
  | 'servers'
  | 'providers'
  | 'assistants'
  | 'profiles'
  | 'scripts'
  | 'policy_rules'
  | 'roles'
  | 'elevations'
> {
  const { rules, api_keys: keys, users, ...others } = records;
  return {
    ...others,
    records,
    rules: createRules(rules, isExclusive),
    keys: createKeys(keys),
    users: createUsers(users),
  };
}

/** Each call reads the rules. They are cached if no other process can change them. */
function createRules(records: RecordStore<RememberedRule>, isExclusive: boolean): RuleStore {
  let cached: Promise<readonly RememberedRule[]> | undefined;
  let current: readonly RememberedRule[] | undefined;

  const read = async () => (await records.list()).map(withoutRevision);
  function forget(): void {
    cached = undefined;
    current = undefined;
  }

  return {
    async list() {
      if (!isExclusive) return read();
      if (cached) return cached;
      const reading = read();
      cached = reading;
      reading.then(
        (rules) => {
          if (cached === reading) current = rules;
        },
        () => {
          if (cached === reading) forget();
        },
      );
      return reading;
    },
    current: () => current,
    add: async (rule) => void (await records.put(rule).finally(forget)),
    remove: (id) => records.remove(id).finally(forget),
  };
}

function createKeys(records: RecordStore<ApiKey>): KeyStore {
  return {
    list: async () => (await records.list()).map(withoutRevision),
    get: async (id) => optional(await records.get(id)),
    async findByHash(hash) {
      const key = await records.find(hash);
      return key?.revokedAt === undefined ? optional(key) : undefined;
    },
    add: async (key) => void (await records.replace(key, 0)),
    touch: records.touch,
    async revoke(id, at) {
      const revoked = await modifyRecord(records, id, (key) =>
        key.revokedAt === undefined ? { ...key, revokedAt: at } : undefined,
      );
      return revoked !== undefined;
    },
  };
}

/** A sign-in that loses this often against concurrent changes of the same user is rejected. */
const maxAttempts = 20;

function createUsers(records: RecordStore<User>): UserStore {
  async function change(id: string, toChanged: (user: User) => User | undefined): Promise<boolean> {
    return (await modifyRecord(records, id, toChanged)) !== undefined;
  }

  /** Undefined if another sign-in was faster. */
  async function replace(user: User, revision: number): Promise<Stored<User> | undefined> {
    try {
      return await records.replace(user, revision);
    } catch (cause) {
      if (cause instanceof ToolwharfError && cause.code === 'CONFLICT') return undefined;
      throw cause;
    }
  }

  return {
    list: async () => (await records.list()).map(withoutRevision),
    get: async (id) => optional(await records.get(id)),
    find: async (issuer, subject) => optional(await records.find(personKey({ issuer, subject }))),
    async save(id, claims) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const stored = await records.find(personKey(claims));
        const before = optional(stored);
        const user = applyClaims(before, before?.id ?? id, claims);
        if (user === before) return user;
        const saved = await replace(user, stored?.revision ?? 0);
        if (saved) return withoutRevision(saved);
      }
      throw new ToolwharfError('CONFLICT', 'The user was changed at the same time: sign in again');
    },
    touch: records.touch,
    disable: (id, at) =>
      change(id, (user) =>
        user.disabledAt === undefined
          ? { ...user, disabledAt: at, sessionVersion: user.sessionVersion + 1 }
          : undefined,
      ),
    enable: (id) => change(id, ({ disabledAt, ...user }) => (disabledAt === undefined ? undefined : user)),
    endSessions: (id, at) =>
      change(id, ({ elevation: _, ...user }) => ({
        ...user,
        sessionsEndedAt: at,
        sessionVersion: user.sessionVersion + 1,
      })),
    elevate: (id, elevation) => change(id, (user) => ({ ...user, elevation })),
    endElevation: (id, ended) => change(id, ({ elevation, ...user }) => (elevation?.id === ended ? user : undefined)),
    remove: records.remove,
  };
}

/** The settings of models. */
export function createModelSettings(records: RecordStore<ModelSettings>): ModelSettingsStore {
  return {
    list: async () => (await records.list()).map(withoutRevision),
    get: async (provider, model) => optional(await records.get(modelSettingsId({ provider, model }))),
    put: async (settings) => void (await records.put(settings)),
    remove: (provider, model) => records.remove(modelSettingsId({ provider, model })),
  };
}

function optional<Item>(stored: Stored<Item> | undefined): Item | undefined {
  return stored && withoutRevision(stored);
}
