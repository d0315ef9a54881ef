import type { Kysely } from 'kysely';
import { isEmptyOverride, type ToolOverride, type ToolOverrideStore } from '../../catalog/tool-overrides.ts';
import type { ServerRecord } from '../../config/server-record.ts';
import { canonicalJson, hashOf } from '../../kernel/canonical-json.ts';
import type { ToolwharfError } from '../../kernel/errors.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';
import { nameTaken, type ServerStore } from '../../servers/server-store.ts';
import { type Assistant, type AssistantStore, parseAssistant } from '../ports/assistant-store.ts';
import type { ModelSettingsStore } from '../ports/model-settings-store.ts';
import { type ProfileRecord, type ProfileStore, profileNameTaken } from '../ports/profile-store.ts';
import type { Provider, ProviderStore } from '../ports/provider-store.ts';
import { type ScriptRecord, type ScriptStore, scriptNameTaken } from '../ports/script-store.ts';
import type { Sealer } from '../sealer.ts';
import type { MetaStore } from '../storage.ts';
import type { Database, Engine } from './engine.ts';

// A statement takes a limited number of parameters.
const batch = 400;

/** The sealing context of a server's or provider's record. */
export function recordContext(table: 'servers' | 'providers', id: string): string {
  return `${table}/${id}`;
}

/** Servers in a database. All but id and name is sealed, since arguments and URLs can contain credentials. */
export function createSqlServers(engine: Engine, sealer: Sealer): ServerStore {
  const records = createNamedRecords(engine.db, 'servers', 'sealed', sealed<ServerRecord>('servers', sealer));
  return withUniqueNames(records, engine, nameTaken);
}

/** Model providers in a database. All but id and name is sealed, since URLs can contain keys. */
export function createSqlProviders({ db }: Engine, sealer: Sealer): ProviderStore {
  return createNamedRecords(db, 'providers', 'sealed', sealed<Provider>('providers', sealer));
}

/** Assistants in a database. */
export function createSqlAssistants({ db }: Engine): AssistantStore {
  return createNamedRecords<Assistant>(db, 'assistants', 'body', { encode: canonicalJson, decode: parseAssistant });
}

/** Model settings in a database. */
export function createSqlModelSettings({ db }: Engine): ModelSettingsStore {
  const select = db.selectFrom('model_settings').select('body');
  return {
    async list() {
      const rows = await select.orderBy('provider').orderBy('model').execute();
      return rows.map(({ body }) => JSON.parse(body));
    },
    async get(provider, model) {
      const row = await select.where('provider', '=', provider).where('model', '=', model).executeTakeFirst();
      return row && JSON.parse(row.body);
    },
    async put(settings) {
      const { provider, model } = settings;
      const body = canonicalJson(settings);
      await db
        .insertInto('model_settings')
        .values({ provider, model, body })
        .onConflict((conflict) => conflict.columns(['provider', 'model']).doUpdateSet({ body }))
        .execute();
    },
    async remove(provider, model) {
      const { numDeletedRows } = await db
        .deleteFrom('model_settings')
        .where('provider', '=', provider)
        .where('model', '=', model)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** Profiles in a database. */
export function createSqlProfiles(engine: Engine): ProfileStore {
  const records = createNamedRecords<ProfileRecord>(engine.db, 'profiles', 'body', plainJson);
  return withUniqueNames(records, engine, profileNameTaken);
}

/** Saved scripts in a database. */
export function createSqlScripts(engine: Engine): ScriptStore {
  const records = createNamedRecords<ScriptRecord>(engine.db, 'scripts', 'body', plainJson);
  return withUniqueNames(records, engine, scriptNameTaken);
}

/** Approval rules in a database. */
export function createSqlRules({ db, exclusive }: Engine): RuleStore & Required<Pick<RuleStore, 'current'>> {
  // Each call reads the rules. They are cached if no other process can change them.
  let cached: Promise<readonly RememberedRule[]> | undefined;
  let current: readonly RememberedRule[] | undefined;

  function forget(): void {
    cached = undefined;
    current = undefined;
  }

  async function read(): Promise<readonly RememberedRule[]> {
    const rows = await db.selectFrom('rules').select('body').orderBy('created_at').orderBy('id').execute();
    return rows.map(({ body }) => JSON.parse(body));
  }

  return {
    async list() {
      if (!exclusive) return read();
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
    async add(rule) {
      const row = { created_at: Date.parse(rule.createdAt) || 0, body: canonicalJson(rule) };
      await db
        .insertInto('rules')
        .values({ id: rule.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      forget();
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('rules').where('id', '=', id).executeTakeFirst();
      forget();
      return numDeletedRows > 0n;
    },
  };
}

/** Small named texts in a database. */
export function createSqlMeta(db: Database): MetaStore {
  return {
    async get(name) {
      const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value;
    },
    async set(name, value) {
      await db
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}

/** Tool overrides in a database. */
export function createSqlToolOverrides(db: Database): ToolOverrideStore {
  return {
    async list() {
      const rows = await db.selectFrom('tool_overrides').select('body').orderBy('key').execute();
      return rows.map(({ body }) => JSON.parse(body) as ToolOverride);
    },
    async setAll(overrides) {
      await db.transaction().execute(async (trx) => {
        for (let at = 0; at < overrides.length; at += batch) {
          const part = new Map(overrides.slice(at, at + batch).map((item) => [hashOf(toolKey(item)), item]));
          await trx
            .deleteFrom('tool_overrides')
            .where('key', 'in', [...part.keys()])
            .execute();
          const rows = [...part]
            .filter(([, item]) => !isEmptyOverride(item))
            .map(([key, item]) => ({ key, body: canonicalJson(item) }));
          if (rows.length > 0) await trx.insertInto('tool_overrides').values(rows).execute();
        }
      });
    },
  };
}

interface Codec<Item> {
  encode(item: Item): string;
  decode(text: string, id: string): Item;
}

const plainJson = { encode: canonicalJson, decode: (text: string) => JSON.parse(text) };

function sealed<Item extends { readonly id: string }>(table: 'servers' | 'providers', sealer: Sealer): Codec<Item> {
  return {
    encode: (item) => sealer.seal(canonicalJson(item), recordContext(table, item.id)),
    decode: (text, id) => JSON.parse(sealer.open(text, recordContext(table, id))),
  };
}

/** Reports a name that is taken with the error of `nameError`. */
function withUniqueNames<Item extends { readonly name: string }, Records extends { put(record: Item): Promise<void> }>(
  records: Records,
  { isUniqueViolation }: Engine,
  nameError: (name: string) => ToolwharfError,
): Records {
  return {
    ...records,
    put: (record: Item) =>
      records.put(record).catch((cause) => {
        throw isUniqueViolation(cause) ? nameError(record.name) : cause;
      }),
  };
}

/** A table of records that are found by id and listed by name. */
function createNamedRecords<Item extends { readonly id: string; readonly name: string }>(
  database: Database,
  table: 'servers' | 'providers' | 'assistants' | 'profiles' | 'scripts',
  column: 'sealed' | 'body',
  { encode, decode }: Codec<Item>,
) {
  // The tables differ only in the name of the column with the record.
  const db = database as unknown as Kysely<{ records: { id: string; name: string; record: string } }>;
  const from = db
    .selectFrom(`${table} as records` as 'records')
    .select(['id', 'name', `${column} as record` as 'record']);
  return {
    async list(): Promise<readonly Item[]> {
      const rows = await from.execute();
      // Sorted here, since databases collate text differently.
      return rows.sort((one, other) => (one.name < other.name ? -1 : 1)).map(({ id, record }) => decode(record, id));
    },
    async get(id: string): Promise<Item | undefined> {
      const row = await from.where('id', '=', id).executeTakeFirst();
      return row && decode(row.record, row.id);
    },
    async put(item: Item): Promise<void> {
      const row = { name: item.name, [column]: encode(item) };
      await database
        .insertInto(table)
        .values({ id: item.id, ...row } as never)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row as never))
        .execute();
    },
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await database.deleteFrom(table).where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
