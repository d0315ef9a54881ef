import { randomUUID } from 'node:crypto';
import { ToolwharfError } from '../../../contract/errors.ts';
import { createMutex, type Mutex } from '../../../toolwharf/kernel/mutex.ts';
import type { RecordStore, Stored } from '../../../toolwharf/storage/ports/record-store.ts';

/** What the store sets. */
interface Administered {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The members of a record that people set. */
export type SettingsOf<Item extends Administered> = Omit<Item, 'id' | 'createdAt' | 'updatedAt'>;

/** Records that administrators change. A record of the same name in the configuration file wins. */
export interface AdministeredRecords<Item extends Administered> {
  /** The records as they were read last, with those that the file shadows. */
  readonly current: readonly Stored<Item>[];
  /** Reads the records. */
  read(): Promise<readonly Stored<Item>[]>;
  /** Reads the records, which another replica may have changed, and applies them. */
  reload(): Promise<void>;
  /** Reads the records, changes them, and applies the result. */
  change(make: () => Promise<unknown>): Promise<void>;
  /** Runs one change at a time: each must read the result of the one before. */
  readonly exclusively: Mutex;
  /** The record as it was read last; undefined if the file has the name. */
  find(name: string): Stored<Item> | undefined;
  /** Rejects if there is no such record, if the file has the name, or if the record has another revision. */
  mustFind(name: string, revision?: number): Stored<Item>;
  add(settings: SettingsOf<Item>): Promise<Stored<Item>>;
  /** Rejects if the record was changed or removed after `before` was read, also by another replica. */
  replace(before: Stored<Item>, settings: SettingsOf<Item>): Promise<Stored<Item>>;
  remove(record: Stored<Item>): Promise<void>;
}

export interface AdministerOptions<Item extends Administered> {
  readonly noun: string;
  readonly store: RecordStore<Item>;
  /** Whether the configuration file has a record of this name. */
  readonly isInFile: (name: string) => boolean;
  readonly file: () => string | undefined;
  /** Makes the toolbox match the records. */
  readonly apply?: (records: readonly Stored<Item>[]) => void | Promise<void>;
}

export function administer<Item extends Administered>(options: AdministerOptions<Item>): AdministeredRecords<Item> {
  const { noun, store, isInFile } = options;
  const exclusively = createMutex();
  let current: readonly Stored<Item>[] = [];

  async function read(): Promise<readonly Stored<Item>[]> {
    current = await store.list();
    return current;
  }

  const refresh = async () => options.apply?.(await read());

  function find(name: string): Stored<Item> | undefined {
    return isInFile(name) ? undefined : current.find((record) => record.name === name);
  }

  return {
    get current() {
      return current;
    },
    read,
    reload: () => exclusively(refresh),
    change: (make) =>
      exclusively(async () => {
        await refresh();
        try {
          await make();
        } finally {
          await refresh();
        }
      }),
    exclusively,
    find,
    mustFind(name, revision) {
      if (isInFile(name))
        throw new ToolwharfError('CONFLICT', readOnlyReason(noun, name, options.file()), { data: { [noun]: name } });
      const record = find(name);
      if (!record) throw revision === undefined ? noRecord(noun, name) : changedMeanwhile(noun, name);
      if (revision !== undefined && revision !== record.revision) throw changedMeanwhile(noun, name, record.revision);
      return record;
    },
    async add(settings) {
      const now = new Date().toISOString();
      const record = { ...settings, id: randomUUID(), createdAt: now, updatedAt: now } as unknown as Item;
      const added = await store.replace(record, 0);
      if (!added) throw changedMeanwhile(noun, record.name);
      return added;
    },
    async replace(before, settings) {
      const { id, createdAt } = before;
      const record = { ...settings, id, createdAt, updatedAt: new Date().toISOString() } as unknown as Item;
      const replaced = await store.replace(record, before.revision);
      if (!replaced) throw changedMeanwhile(noun, before.name, (await store.get(id))?.revision);
      return replaced;
    },
    async remove({ id }) {
      await store.remove(id);
    },
  };
}

/** Two records of one name could not be told apart. */
export function nameTaken(noun: string, name: string): ToolwharfError {
  return new ToolwharfError('CONFLICT', `There is a ${noun} named '${name}' already: choose another name`, {
    data: { [noun]: name },
  });
}

export function noRecord(noun: string, name: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no ${noun} '${name}'`, { data: { [noun]: name } });
}

/** Why a record of the configuration cannot be changed. */
export function readOnlyReason(noun: string, name: string, file: string | undefined): string {
  const where = file === undefined ? 'the configuration' : `the configuration file ${file}`;
  return `${capitalized(noun)} '${name}' is in ${where} and can only be changed there`;
}

/** Somebody else changed or removed the record after it was read. `revision` is the present one; undefined if it was removed. */
export function changedMeanwhile(noun: string, name: string, revision?: number): ToolwharfError {
  const what =
    revision === undefined
      ? 'removed by somebody else meanwhile: nothing was saved'
      : 'changed by somebody else meanwhile: compare it with the current version and save it again';
  return new ToolwharfError('CONFLICT', `${capitalized(noun)} '${name}' was ${what}`, {
    data: { [noun]: name, reason: 'revision', revision },
  });
}

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
