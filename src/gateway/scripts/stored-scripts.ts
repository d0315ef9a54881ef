import { randomUUID } from 'node:crypto';
import type { ChainConfig, Config } from '../../config/config.ts';
import { chainTimeoutMs } from '../../config/defaults.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { createMutex } from '../../kernel/mutex.ts';
import { findSyntaxError } from '../../scale/code/find-syntax-error.ts';
import { type ScriptRecord, type ScriptStore, scriptNameTaken } from '../../storage/ports/script-store.ts';
import type { AdministeredToolbox } from '../../toolbox.ts';

/** The settings of a script, without its name. */
export type ScriptSettings = Omit<ScriptRecord, 'id' | 'name' | 'createdAt' | 'updatedAt'>;

/** A script as a tool of the toolbox has it. */
export interface SavedScript extends ChainConfig {
  readonly code: string;
  /** Undefined for a script of the configuration file. */
  readonly record?: ScriptRecord;
}

/** Scripts saved over the API, each a tool. A script or another local tool of the same name in the configuration wins. */
export interface StoredScripts {
  /** Reads the saved scripts and adds them to the toolbox. Another replica may have changed them. */
  reload(): Promise<void>;
  /** The scripts of the configuration file, then the saved ones. */
  list(): readonly SavedScript[];
  /** Rejects if there is none. */
  find(name: string): SavedScript;
  /** Saves a script. Rejects a name that is taken, and code that is not valid. */
  add(name: string, settings: ScriptSettings): Promise<void>;
  /** Replaces a saved script. Rejects if `updatedAt` is given and the script was changed since then. */
  update(name: string, settings: ScriptSettings, updatedAt?: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface StoredScriptsOptions {
  readonly toolbox: Pick<AdministeredToolbox, 'config' | 'loaded' | 'catalog' | 'setScripts'>;
  readonly store: ScriptStore;
  readonly log: Log;
}

export function createStoredScripts({ toolbox, store, log }: StoredScriptsOptions): StoredScripts {
  // Each change must read the result of the previous one.
  const exclusively = createMutex();
  let records: readonly ScriptRecord[] = [];
  const shadowed = new Set<string>();

  async function read(): Promise<void> {
    records = await store.list();
    await toolbox.setScripts((config) => records.map((record) => toChain(record, config)));
    for (const { name } of records.filter((record) => isShadowed(record) && !shadowed.has(record.name))) {
      shadowed.add(name);
      const message = `The saved script '${name}' is not used, because the configuration has a tool of that name`;
      log.warning('scripts.shadowed', message, { script: name });
    }
  }

  function findLocal(name: string) {
    const { entries, disabled } = toolbox.catalog;
    return [...entries, ...disabled].find((entry) => entry.server === undefined && entry.originalName === name);
  }

  function isShadowed({ name, code }: ScriptRecord): boolean {
    const { script } = findLocal(name) ?? {};
    return script?.code !== code || ofFile().some((chain) => chain.name === name);
  }

  const ofFile = (): readonly SavedScript[] =>
    toolbox.config.toolbox.chains.flatMap((chain) =>
      chain.code === undefined ? [] : [{ ...chain, code: chain.code }],
    );

  function list(): readonly SavedScript[] {
    const saved = records.map((record) => ({ ...toChain(record, toolbox.config), record }));
    const names = new Set(ofFile().map(({ name }) => name));
    return [...ofFile(), ...saved.filter(({ name }) => !names.has(name))];
  }

  function find(name: string): SavedScript {
    const found = list().find((script) => script.name === name);
    if (found) return found;
    throw new ToolwharfError('NOT_FOUND', `There is no script '${name}'`, { data: { script: name } });
  }

  function findStored(name: string): ScriptRecord {
    const { record } = find(name);
    if (record) return record;
    throw new ToolwharfError('CONFLICT', readOnlyReason(name, toolbox.loaded.file), { data: { script: name } });
  }

  async function put(record: ScriptRecord): Promise<void> {
    assertValid(record);
    await store.put(record);
    await read();
  }

  return {
    reload: () => exclusively(read),
    list,
    find,
    add: (name, settings) =>
      exclusively(async () => {
        await read();
        if (findLocal(name) || records.some((record) => record.name === name)) throw scriptNameTaken(name);
        const now = new Date().toISOString();
        await put({ ...settings, id: randomUUID(), name, createdAt: now, updatedAt: now });
      }),
    update: (name, settings, updatedAt) =>
      exclusively(async () => {
        await read();
        const before = findStored(name);
        if (updatedAt !== undefined && before.updatedAt !== updatedAt)
          throw new ToolwharfError('CONFLICT', `Script '${name}' was changed meanwhile: reload it and try again`);
        const { id, createdAt } = before;
        await put({ ...settings, id, name, createdAt, updatedAt: laterThan(before.updatedAt) });
      }),
    remove: (name) =>
      exclusively(async () => {
        await read();
        await store.remove(findStored(name).id);
        await read();
      }),
  };
}

/** Why a script of the configuration cannot be changed. */
export function readOnlyReason(name: string, file: string | undefined): string {
  const where = file === undefined ? 'the configuration' : `the configuration file ${file}`;
  return `Script '${name}' is in ${where} and can only be changed there`;
}

function toChain(record: ScriptRecord, { toolbox }: Pick<Config, 'toolbox'>): ChainConfig & { readonly code: string } {
  const { name, description, input, code, timeoutMs = chainTimeoutMs } = record;
  const { maxInstances = toolbox.defaultTool.maxInstances } = record;
  return { name, description, input, steps: [], code, timeoutMs, maxInstances };
}

/** Now, but never the time of the version before: two versions must not look the same. */
function laterThan(before: string): string {
  return new Date(Math.max(Date.now(), Date.parse(before) + 1)).toISOString();
}

function assertValid({ name, code }: ScriptRecord): void {
  const error = findSyntaxError(code);
  if (!error) return;
  const where = error.position === undefined ? '' : ` (${error.position})`;
  throw new ToolwharfError('CONFIG_INVALID', `Script '${name}': ${error.name}: ${error.message}${where}`, {
    data: { script: name },
  });
}
