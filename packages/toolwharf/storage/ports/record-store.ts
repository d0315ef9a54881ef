import type { JsonSchema } from '../../../contract/json.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { ElevationRequest } from '../../../contract/records/elevation.ts';
import type { Provider } from '../../../contract/records/provider.ts';
import type { Role } from '../../../contract/records/role.ts';
import type { PolicyRule, ToolLimits } from '../../../contract/settings/config.ts';
import type { CheckedProfile } from '../../../contract/settings/native-schema.ts';
import type { ServerRecord } from '../../config/server-record.ts';
import type { RememberedRule } from '../../policy/remembered-rules.ts';
import type { ApiKey } from './key-store.ts';
import type { User } from './user-store.ts';

/** A stored record. Its revision rises with each change. */
export type Stored<Item> = Item & { readonly revision: number };

/** The records of one kind. */
export interface RecordStore<Item> {
  /** Sorted by name; rules, keys and users by their creation. */
  list(): Promise<readonly Stored<Item>[]>;
  get(id: string): Promise<Stored<Item> | undefined>;
  /** Finds a record by what no two of its kind share: the name of a server, profile or script, the hash of a key. */
  find(key: string): Promise<Stored<Item> | undefined>;
  /** Adds the record, or replaces the one with the same id. Rejects a name that is taken with `CONFLICT`. */
  put(item: Item): Promise<Stored<Item>>;
  /**
   * Replaces the record if it still has this revision; 0 adds it if there is none with its id. Returns undefined if the record was
   * changed or removed. Rejects a name that is taken with `CONFLICT`.
   */
  replace(item: Item, revision: number): Promise<Stored<Item> | undefined>;
  /** Returns false if there is none with this id, or it does not have the revision. */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Records the last use to the minute, so that most uses write nothing. It is no change of the record. */
  touch(id: string, at: string): Promise<void>;
}

/** The records that administrators change, by their kind. */
export interface StoredRecords {
  /** Servers that were added while running. They are sealed, since arguments and URLs can contain credentials. */
  readonly servers: RecordStore<ServerRecord>;
  /** Model providers. They are sealed. */
  readonly providers: RecordStore<Provider>;
  readonly assistants: RecordStore<Assistant>;
  readonly profiles: RecordStore<ProfileRecord>;
  readonly scripts: RecordStore<ScriptRecord>;
  readonly policy_rules: RecordStore<PolicyRuleRecord>;
  readonly rules: RecordStore<RememberedRule>;
  readonly api_keys: RecordStore<ApiKey>;
  readonly users: RecordStore<User>;
  readonly roles: RecordStore<Role>;
  readonly elevations: RecordStore<ElevationRequest>;
}

/** A record that a plugin stores. The rest of its content is up to the plugin, and must be JSON. */
export interface PluginRecord {
  readonly id: string;
}

/** Opens the records of one kind of a plugin. */
export type OpenPluginRecords = (
  plugin: string,
  kind: string,
  options: { readonly isSealed?: boolean },
) => Pick<RecordStore<PluginRecord>, 'list' | 'get' | 'put' | 'replace' | 'remove'>;

/** A profile that was created over the API. Durations are in milliseconds. */
export interface ProfileRecord extends CheckedProfile {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A rule of the policy that was stored over the API. Its name is the `id` of the rule. */
export interface PolicyRuleRecord extends Omit<PolicyRule, 'id'> {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A script that was saved over the API, and that is exposed as a tool. */
export interface ScriptRecord extends Partial<ToolLimits> {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly input?: JsonSchema;
  readonly code: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
