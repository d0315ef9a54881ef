import { isObject, type JsonObject } from '../../../contract/json.ts';
import { type Assistant, assistantSchema } from '../../../contract/records/assistant.ts';
import type { ModelSettings } from '../../../contract/records/model-settings.ts';
import type { Provider } from '../../../contract/records/provider.ts';
import { withoutSecrets } from '../../../contract/settings/server-url.ts';
import type { ToolOverride } from '../../../toolwharf/catalog/tool-overrides.ts';
import type { ServerRecord } from '../../../toolwharf/config/server-record.ts';
import { canonicalJson, hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import { toolKey } from '../../../toolwharf/kernel/tool-id.ts';
import type { ApiKey } from '../../../toolwharf/storage/ports/key-store.ts';
import type { PluginRecord, RecordStore, StoredRecords } from '../../../toolwharf/storage/ports/record-store.ts';
import type { User } from '../../../toolwharf/storage/ports/user-store.ts';

/** How records of one kind are stored. */
export interface RecordKind<Item> {
  /** Their kind in the database, and the topic of their changes. */
  readonly kind: string;
  /** What messages call one of them. */
  readonly noun: string;
  /** All but the name is sealed with the master key. */
  readonly isSealed?: boolean;
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  /** What no two records share, by which a record is found. */
  readonly keyOf?: (item: Item) => string;
  /** What a list is sorted by; ids decide between equal texts. */
  readonly sortedBy: (item: Item) => string;
  /** Upgrades a stored record. */
  readonly parse?: (content: unknown) => Item;
  /** The member with the time of the last use. */
  readonly lastUse?: keyof Item;
  /** Uses within this time are recorded once; a minute. */
  readonly lastUsePrecisionMs?: number;
}

/** A kind whose changes are signed acts of the journal. */
export interface AuditedKind<Item> extends RecordKind<Item> {
  /** The hash of everything that decides what the record allows or does, without secrets. */
  readonly hash: (item: Item) => string;
  /** The details of an act, without secrets. */
  readonly describe: (item: Item) => JsonObject;
  /** Who made the record, if it says so. */
  readonly actorOf?: (item: Item) => string | undefined;
}

type ItemOf<Store> = Store extends RecordStore<infer Item> ? Item : never;
type Kinds = { readonly [Kind in keyof StoredRecords]: AuditedKind<ItemOf<StoredRecords[Kind]>> };

const idOf = ({ id }: { readonly id: string }) => id;
const nameOf = ({ name }: { readonly name: string }) => name;
const createdAt = (item: { readonly createdAt: string }) => item.createdAt;
const describeName = ({ name }: { readonly name: string }): JsonObject => ({ name });
const named = { idOf, nameOf, sortedBy: nameOf, describe: describeName };

/** The kinds of records whose changes are signed. */
export const recordKinds: Kinds = {
  servers: {
    ...{ ...named, kind: 'servers', noun: 'server', isSealed: true, keyOf: nameOf, hash: hashServer },
    lastUse: 'lastConnectedAt',
    lastUsePrecisionMs: 0,
  },
  providers: { ...named, kind: 'providers', noun: 'provider', isSealed: true, hash: hashProvider },
  assistants: { ...named, kind: 'assistants', noun: 'assistant', hash: hashAssistant, parse: parseAssistant },
  profiles: { ...named, kind: 'profiles', noun: 'profile', keyOf: nameOf, hash: hashOf },
  scripts: { ...named, kind: 'scripts', noun: 'script', keyOf: nameOf, hash: hashOf },
  policy_rules: {
    ...{ ...named, kind: 'policy_rules', noun: 'policy-rule', keyOf: nameOf, hash: hashOf },
    describe: ({ name, when, then, mode, onFailure, profiles }) => ({ name, when, then, mode, onFailure, profiles }),
  },
  rules: {
    ...{ kind: 'rules', noun: 'rule', idOf, nameOf: () => '', sortedBy: createdAt, hash: hashOf },
    describe: ({ scope, answer, audience, server, tool }) => ({ scope, answer, audience, server, tool }),
    actorOf: ({ createdBy }) => createdBy,
  },
  api_keys: {
    ...{ kind: 'api_keys', noun: 'key', idOf, nameOf, keyOf: ({ hash }) => hash, sortedBy: createdAt },
    lastUse: 'lastUsedAt',
    hash: ({ lastUsedAt: _, ...key }: ApiKey) => hashOf(key),
    describe: ({ name, profile, rights, user, expiresAt, revokedAt }) => ({
      ...{ name, profile, rights, user, expiresAt, revokedAt },
    }),
  },
  users: {
    ...{ kind: 'users', noun: 'user', idOf, nameOf: ({ name = '' }) => name, keyOf: personKey, sortedBy: createdAt },
    lastUse: 'lastSeenAt',
    hash: hashUser,
    describe: ({ roles, profile, name, email, disabledAt, elevation }) => ({
      ...{ roles: [...roles], profile, name, email, disabledAt },
      ...(elevation && { elevation: { ...elevation } }),
    }),
  },
  roles: {
    ...{ ...named, kind: 'roles', noun: 'role', keyOf: nameOf, hash: hashOf },
    describe: ({ name, permissions }) => ({ name, permissions: [...permissions] }),
  },
  elevations: {
    ...{ kind: 'elevations', noun: 'elevation', idOf, nameOf: () => '', sortedBy: createdAt, hash: hashOf },
    describe: ({ user, role, reason, status, minutes, answeredBy, until }) => ({
      ...{ user, role, reason, status, minutes, until },
      answeredBy: answeredBy?.id,
    }),
  },
};

/** Settings of models. Their changes are not signed: they decide on prices only. */
export const modelSettingsKind: RecordKind<ModelSettings> = {
  ...{ kind: 'model_settings', noun: 'model', idOf: modelSettingsId, nameOf: ({ model }) => model },
  sortedBy: ({ provider, model }) => JSON.stringify([provider, model]),
};

/** Tool overrides. There can be thousands of them: their changes are signed together. */
export const toolOverrideKind: RecordKind<ToolOverride> = {
  ...{ kind: 'tool_overrides', noun: 'tool override', idOf: (override) => hashOf(toolKey(override)) },
  ...{ nameOf: ({ tool }) => tool, sortedBy: () => '' },
};

/** The records of plugins whose kinds begin with this are sealed. */
export const sealedPluginKinds = 'plugin-sealed/';

/** Records of one kind of a plugin. */
export function pluginKind(plugin: string, kind: string, isSealed = false): RecordKind<PluginRecord> {
  const sealed = { isSealed, noun: `record of the plugin ${plugin}` };
  return {
    ...sealed,
    kind: `${isSealed ? sealedPluginKinds : 'plugin/'}${plugin}/${kind}`,
    idOf,
    nameOf: () => '',
    sortedBy: idOf,
  };
}

/** One store for each kind. */
export function mapKinds(toStore: (kind: AuditedKind<unknown>) => RecordStore<unknown>): StoredRecords {
  const stores = auditedKinds.map((kind) => [kind.kind, toStore(kind)]);
  return Object.fromEntries(stores) as StoredRecords;
}

export const auditedKinds = Object.values(recordKinds) as readonly AuditedKind<unknown>[];

/** The store of a kind. */
export function storeOf(records: StoredRecords, { kind }: Pick<RecordKind<unknown>, 'kind'>): RecordStore<unknown> {
  return records[kind as keyof StoredRecords] as RecordStore<unknown>;
}

export function modelSettingsId({ provider, model }: Pick<ModelSettings, 'provider' | 'model'>): string {
  return hashOf([provider, model]);
}

/** Identifies a person for ever. */
export function personKey({ issuer, subject }: Pick<User, 'issuer' | 'subject'>): string {
  return JSON.stringify([issuer, subject]);
}

/** Upgrades a stored assistant: fills in new defaults and drops unknown fields. */
function parseAssistant(content: unknown): Assistant {
  if (!isObject(content)) return assistantSchema.parse(content);
  const known = Object.entries(content).filter(([name]) => Object.hasOwn(assistantSchema.shape, name));
  return assistantSchema.parse(Object.fromEntries(known));
}

/** The hash of a user's access: names, groups and times are not tracked. */
function hashUser({ id, issuer, subject, roles, profile, disabledAt, elevation }: User): string {
  return hashOf({ id, issuer, subject, roles, profile, isDisabled: disabledAt !== undefined, elevation });
}

/** The hash of a server. The time of its last connection and the values of secrets are not tracked. */
function hashServer({
  lastConnectedAt: _,
  env,
  headers,
  authentication,
  url,
  openapi,
  ...server
}: ServerRecord): string {
  return hashOf({
    ...server,
    url: url === undefined ? undefined : withoutSecrets(url),
    openapi: openapi === undefined ? undefined : withoutSecrets(openapi),
    env: Object.keys(env ?? {}).sort(),
    headers: Object.keys(headers ?? {}).sort(),
    authentication: authentication.type,
  });
}

/** The hash of an assistant. Members with their default values are left out, since later versions have more of them. */
function hashAssistant(assistant: Assistant): string {
  const { shape } = assistantSchema;
  const isDefault = (name: string, value: unknown) => {
    const { data } = shape[name as keyof typeof shape].safeParse(undefined);
    return data !== undefined && canonicalJson(data) === canonicalJson(value);
  };
  return hashOf(Object.fromEntries(Object.entries(assistant).filter(([name, value]) => !isDefault(name, value))));
}

/** The hash of a model provider, without its key. */
function hashProvider({ apiKey, baseUrl, ...provider }: Provider): string {
  const address = baseUrl === undefined ? undefined : withoutSecrets(baseUrl);
  return hashOf({ ...provider, baseUrl: address, hasKey: apiKey !== undefined });
}
