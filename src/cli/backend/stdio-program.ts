import { resolve } from 'node:path';
import type { StdioProgram } from '../../gateway/clients/mcp-clients.ts';
import type { CommandContext } from '../command.ts';

/** This program as `toolwharf stdio`, by full paths: what a desktop starts has another PATH and another working directory. */
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
