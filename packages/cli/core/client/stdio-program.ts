import { resolve } from 'node:path';
import type { StdioProgram } from '../../../gateway/core/clients/mcp-clients.ts';
import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import type { CommandContext } from '../command-context.ts';

/** The command that starts `toolwharf stdio`, with absolute paths: desktop apps have another environment and working directory. */
export function stdioProgram(
  { program, env }: Pick<CommandContext, 'program' | 'env'>,
  config: string | undefined,
): StdioProgram {
  const dataDir = resolve(dataDirectory(env));
  const isDefault = dataDir === resolve(dataDirectory({ ...env, TOOLWHARF_DATA_DIR: undefined }));
  return {
    command: process.execPath,
    args: [
      program,
      'stdio',
      ...(config === undefined ? [] : ['--config', config]),
      ...(isDefault ? [] : ['--data-dir', dataDir]),
    ],
  };
}
