import type { JsonObject } from '../kernel/json.ts';
import { assembleConfig } from './assemble-config.ts';
import type { ServerSpec } from './config.ts';
import type { ConfigSource } from './config-source.ts';
import { defaultConfig } from './default-servers.ts';
import { findConfigFile, type LoadedConfig, type LoadOptions, loadConfig, markChecked } from './load-config.ts';
import type { NativeServer } from './server-schema.ts';

export interface OpenOptions extends LoadOptions {
  /** Where to look for a file when none is named; the working directory. */
  readonly cwd?: string;
}

/** The given configuration, else the working directory's file, else the default servers. Warnings go to the log. */
export async function openConfig(source: ConfigSource | undefined, options: OpenOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), ...loadOptions } = options;
  const found = source ?? (await findConfigFile(cwd));
  if (found !== undefined) return loadConfig(found, loadOptions);
  return markChecked({ config: await defaultConfig({ env: options.env }), warnings: [] });
}

/** One server in the words of the `servers:` map. Its URL is taken as it is: only a file's may be a `${VAR}`. */
export function parseServer(name: string, server: NativeServer | JsonObject): ServerSpec {
  const { config } = assembleConfig({ servers: { [name]: server } }, { env: {}, native: true });
  return config.servers[0] as ServerSpec;
}
