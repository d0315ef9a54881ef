import type { JsonObject } from '../kernel/json.ts';
import { assembleConfig } from './assemble-config.ts';
import type { ServerSpec } from './config.ts';
import { defaultConfig } from './default-servers.ts';
import { findConfigFile, type LoadedConfig, type LoadOptions, loadConfig } from './load-config.ts';
import type { NativeConfig } from './native-schema.ts';
import type { NativeServer } from './server-schema.ts';

/** A file's path, or what a file would hold, in any dialect. */
export type ConfigSource = string | NativeConfig | JsonObject;

export interface OpenOptions extends LoadOptions {
  /** Where to look for a file when none is named; the working directory. */
  readonly cwd?: string;
}

/** The configuration that was named, else the working directory's file, else the default servers. */
export async function openConfig(source: ConfigSource | undefined, options: OpenOptions = {}): Promise<LoadedConfig> {
  const { cwd = process.cwd(), ...loadOptions } = options;
  const found = source ?? (await findConfigFile(cwd));
  if (found !== undefined) return loadConfig(found as string | JsonObject, loadOptions);
  return { config: await defaultConfig({ ...(options.env && { env: options.env }) }), warnings: [] };
}

/** One server in the words of the `servers:` map. Its URL is taken as it is: only a file's may be a `${VAR}`. */
export function parseServer(name: string, server: NativeServer | JsonObject): ServerSpec {
  const { config } = assembleConfig({ servers: { [name]: server } }, { env: {}, native: true });
  return config.servers[0] as ServerSpec;
}
