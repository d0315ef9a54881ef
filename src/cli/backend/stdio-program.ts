import { resolve } from 'node:path';
import type { StdioProgram } from '../../gateway/clients/mcp-clients.ts';
import type { CommandContext } from '../command-context.ts';

/** The command that starts `toolwharf stdio`, with absolute paths: desktop apps have another PATH and working directory. */
export function stdioProgram({ dataDir }: CommandContext['options'], config: string | undefined): StdioProgram {
  return {
    command: process.execPath,
    args: [
      resolve(process.argv[1] ?? ''),
      'stdio',
      ...(config === undefined ? [] : ['--config', config]),
      ...(dataDir === undefined ? [] : ['--data-dir', resolve(dataDir)]),
    ],
  };
}
