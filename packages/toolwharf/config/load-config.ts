import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import { assembleConfig } from './assemble-config.ts';
import type { ConfigSource } from './config-source.ts';
import type { LoadedConfig } from './loaded-config.ts';
import { configError } from './problems.ts';
import { readConfigFile } from './read-config-file.ts';
import { looksLikeJson, readDocument } from './read-document.ts';
import type { Environment } from './references.ts';

export type { LoadedConfig } from './loaded-config.ts';

/** How a configuration is loaded. */
export interface LoadOptions {
  /** The environment for `TOOLWHARF__…` and `APP_MYAI__…` overrides and for `${VAR}`. Default: `process.env`. */
  readonly env?: Environment;
  /**
   * A partial native document, such as `{toolbox: {maxConcurrent: 5}}`, that overrides the file and the environment.
   */
  readonly overrides?: JsonObject;
  /** The names of transports that plugins of the program add. Default: none. */
  readonly transports?: readonly string[];
  /** Receives each warning. Default: none. */
  readonly log?: Log;
}

/**
 * Reads a YAML or JSON file, or an object in any dialect. One `CONFIG_INVALID` lists every problem.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { loadConfig } from 'toolwharf';
 *
 * await writeFile('toolwharf.yaml', 'servers:\n  files: { command: my-server, timeout: 10s }\n');
 * const { config, warnings } = await loadConfig('toolwharf.yaml');
 * console.log(config.servers[0]?.name, config.servers[0]?.timeoutMs, warnings.length); // files 10000 0
 * ```
 */
export async function loadConfig(source: ConfigSource, options: LoadOptions = {}): Promise<LoadedConfig> {
  if (isLoaded(source)) return withLog(source, options.log);
  if (typeof source !== 'string') return parseConfig(source, options);
  return parseConfigText(await readConfigFile(source), source, options);
}

/**
 * Checks a value of unknown type, such as parsed JSON, in any dialect. Throws only `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * import { parseConfig, ToolwharfError } from 'toolwharf';
 *
 * try {
 *   parseConfig({ servers: { files: { comand: 'my-server' } } });
 * } catch (error) {
 *   console.log(error instanceof ToolwharfError && error.code); // CONFIG_INVALID
 * }
 * ```
 */
export function parseConfig(input: unknown, options: LoadOptions = {}): LoadedConfig {
  const { env = process.env, overrides, transports } = options;
  const { config, warnings, notes, unset, toError } = assembleConfig(input, { env, overrides, transports });
  return withLog({ config, warnings, notes, unset, toError }, options.log);
}

/** Checks the text of a file. The file name appears in errors and selects YAML or JSON. */
export function parseConfigText(text: string, file: string, options: LoadOptions = {}): LoadedConfig {
  const document = readDocument(text, { json: looksLikeJson(text, file) });
  if (document.problems.length > 0) {
    throw configError(
      document.problems.map((problem) => ({ ...problem, file, path: '' })),
      file,
    );
  }
  const { env = process.env, overrides, transports } = options;
  const { locate } = document;
  const { config, warnings, notes, unset, toError } = assembleConfig(document.value, {
    env,
    overrides,
    transports,
    file,
    locate,
  });
  return withLog(
    { config, file: resolve(file), contentHash: hashOf(text), warnings, notes, unset, toError },
    options.log,
  );
}

/**
 * Returns the configuration file in a directory: `toolwharf.yaml`, `.yml` or `.json`. Returns undefined if none exists.
 */
export async function findConfigFile(cwd: string): Promise<string | undefined> {
  const found: string[] = [];
  for (const name of ['toolwharf.yaml', 'toolwharf.yml', 'toolwharf.json']) {
    const file = join(cwd, name);
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) found.push(file);
  }
  if (found.length > 1) {
    throw new ToolwharfError('CONFIG_INVALID', `More than one configuration file, keep one: ${found.join(', ')}`);
  }
  return found[0];
}

// Only results of this module count as checked. Any other object of the same shape is checked again.
const checkedConfigs = new WeakSet<object>();

/** Marks a configuration as checked, so that `loadConfig` does not check it again. */
export function markChecked(loaded: LoadedConfig): LoadedConfig {
  checkedConfigs.add(loaded);
  return loaded;
}

function isLoaded(source: ConfigSource): source is LoadedConfig {
  return typeof source === 'object' && checkedConfigs.has(source);
}

function withLog(loaded: LoadedConfig, log: Log = silentLog): LoadedConfig {
  for (const warning of loaded.warnings) log.warning('config.warning', warning);
  for (const note of loaded.notes ?? []) log.info('config.ignored', note);
  return markChecked(loaded);
}
