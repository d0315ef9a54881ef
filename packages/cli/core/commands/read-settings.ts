import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { type ImportedConfig, importClientConfig } from '../../../toolwharf/config/import-client-config.ts';
import { UsageError } from '../errors.ts';
import { FileEditError } from './connect/edit-json.ts';
import { parseToml } from './connect/edit-toml.ts';

/** Imports the servers of a settings file of another program: YAML, JSON, or TOML. */
export async function importFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ImportedConfig> {
  if (extname(file) !== '.toml') return importClientConfig(file, { env });
  try {
    const table = parseToml(await readFile(file, 'utf8'));
    return await importClientConfig(JSON.parse(JSON.stringify(table)) as JsonObject, { env, file });
  } catch (cause) {
    if (cause instanceof FileEditError || (cause instanceof Error && 'syscall' in cause))
      throw new UsageError(`Cannot read '${file}': ${messageOf(cause)}`);
    throw cause;
  }
}
