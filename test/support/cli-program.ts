import { join } from 'node:path';
import { root } from './imports.ts';

/** The program: the sources, or the build if an environment variable requests it. */
export const cliProgram = process.env.TOOLWHARF_TEST_PROGRAM || join(root, 'packages', 'cli', 'main.ts');
