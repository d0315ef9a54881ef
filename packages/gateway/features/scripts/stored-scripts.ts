import { ToolwharfError } from '../../../contract/errors.ts';
import type { ChainConfig, Config } from '../../../contract/settings/config.ts';
import { chainTimeoutMs, limitsOf } from '../../../contract/settings/defaults.ts';
import { findSyntaxError } from '../../../toolwharf/features/scripts/find-syntax-error.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { PluginTools } from '../../../toolwharf/plugins/plugin.ts';
import type { RecordStore, ScriptRecord, Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import type { AdministeredToolbox } from '../../../toolwharf/toolbox.ts';
import { administer, nameTaken, noRecord, type SettingsOf } from '../../core/records/administer.ts';

/** The settings of a script, without its name. */
export type ScriptSettings = Omit<SettingsOf<ScriptRecord>, 'name'>;

/** A script as a tool of the toolbox has it. */
export interface SavedScript extends ChainConfig {
  readonly code: string;
  /** Undefined for a script of the configuration file. */
  readonly record?: Stored<ScriptRecord>;
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
  /** Replaces a saved script. Rejects if it does not have the revision, if one is given. */
  update(name: string, settings: ScriptSettings, revision?: number): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface StoredScriptsOptions {
  readonly toolbox: Pick<AdministeredToolbox, 'config' | 'loaded' | 'catalog'>;
  readonly store: RecordStore<ScriptRecord>;
  readonly tools: ScriptTools;
  readonly log: Log;
}

/** The saved scripts as tools of a plugin. */
export interface ScriptTools extends PluginTools {
  /** Resolves when the toolbox has these scripts instead of those before. */
  set(records: readonly ScriptRecord[]): Promise<void>;
}

export function createScriptTools(): ScriptTools {
  let scripts: readonly ScriptRecord[] = [];
  let announce: () => Promise<void> = async () => {};
  return {
    list: () =>
      scripts.map(({ name, description, input: parameters, code, ...limits }) => {
        return { name, description, parameters, code, timeoutMs: chainTimeoutMs, ...limitsOf(limits) };
      }),
    subscribe(changed) {
      announce = changed;
    },
    set(records) {
      scripts = records;
      return announce();
    },
  };
}

export function createStoredScripts({ toolbox, store, tools, log }: StoredScriptsOptions): StoredScripts {
  const shadowed = new Set<string>();
  const stored = administer({
    ...{ noun: 'script', store, file: () => toolbox.loaded.file },
    isInFile: (name) => ofFile().some((chain) => chain.name === name),
    async apply(records) {
      await tools.set(records);
      for (const { name } of records.filter((record) => isShadowed(record) && !shadowed.has(record.name))) {
        shadowed.add(name);
        const message = `The saved script '${name}' is not used, because the configuration has a tool of that name`;
        log.warning('scripts.shadowed', message, { script: name });
      }
    },
  });

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
    const saved = stored.current.map((record) => ({ ...toChain(record, toolbox.config), record }));
    const names = new Set(ofFile().map(({ name }) => name));
    return [...ofFile(), ...saved.filter(({ name }) => !names.has(name))];
  }

  return {
    reload: stored.reload,
    list,
    find(name) {
      const found = list().find((script) => script.name === name);
      if (!found) throw noRecord('script', name);
      return found;
    },
    add: (name, settings) =>
      stored.change(() => {
        if (findLocal(name) || stored.current.some((record) => record.name === name)) throw nameTaken('tool', name);
        assertValid(name, settings);
        return stored.add({ ...settings, name });
      }),
    update: (name, settings, revision) =>
      stored.change(() => {
        const before = stored.mustFind(name, revision);
        assertValid(name, settings);
        return stored.replace(before, { ...settings, name });
      }),
    remove: (name) => stored.change(() => stored.remove(stored.mustFind(name))),
  };
}

function toChain(record: ScriptRecord, { toolbox }: Pick<Config, 'toolbox'>): ChainConfig & { readonly code: string } {
  const { name, description, input, code } = record;
  const limits = { ...toolbox.defaultTool, timeoutMs: chainTimeoutMs, ...limitsOf(record) };
  return { name, description, input, steps: [], code, ...limits };
}

function assertValid(name: string, { code }: ScriptSettings): void {
  const error = findSyntaxError(code);
  if (!error) return;
  const where = error.position === undefined ? '' : ` (${error.position})`;
  throw new ToolwharfError('CONFIG_INVALID', `Script '${name}': ${error.name}: ${error.message}${where}`, {
    data: { script: name },
  });
}
