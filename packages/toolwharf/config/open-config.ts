import type { JsonObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { NativeServer } from '../../contract/settings/server-schema.ts';
import { assembleConfig } from './assemble-config.ts';
import type { ConfigSource } from './config-source.ts';
import { defaultConfig } from './default-servers.ts';
import { findConfigFile, type LoadedConfig, type LoadOptions, loadConfig, markChecked } from './load-config.ts';

export interface OpenOptions extends LoadOptions {
  /** The directory to search if no file is named. Default: the working directory. */
  readonly cwd?: string;
}

/**
 * Loads the given configuration, the file in the working directory, or the default servers, in this order. Logs
 * warnings.
 */
export async function openConfig(source: ConfigSource | undefined, options: OpenOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), ...loadOptions } = options;
  const found = source ?? (await findConfigFile(cwd));
  if (found !== undefined) return loadConfig(found, loadOptions);
  return markChecked({ config: await defaultConfig({ env: options.env }), warnings: [], isDefault: true });
}

/**
 * Parses one entry of the `servers:` map. Does not resolve references in the URL; only a file may use `${VAR}` there.
 */
export function parseServer(name: string, server: NativeServer | JsonObject): ServerSpec {
  const { config } = assembleConfig({ servers: { [name]: server } }, { env: {}, native: true });
  return config.servers[0] as ServerSpec;
}
