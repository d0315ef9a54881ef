import { join } from 'node:path';
import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import type { LaunchedProgram } from '../../../toolwharf/connections/stdio/server-process.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import { homeOf } from './profile.ts';
import { findCommand, findProgramFiles } from './program-files.ts';

/** The program of a server, and the places that belong to it. */
export interface ServerProgram {
  /** Undefined if there is no such program. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly home: string;
  readonly dataDir: string;
  /** What the program consists of. */
  readonly files: readonly string[];
}

export async function findServerProgram(
  { command, args, env: own, cwd = process.cwd() }: Pick<LaunchedProgram, 'command' | 'args' | 'env' | 'cwd'>,
  env: Environment,
): Promise<ServerProgram> {
  const file = await findCommand(command, own.PATH ?? env.PATH, cwd);
  const files = file === undefined ? [] : await findProgramFiles(file, args, cwd);
  const certificates = certificateVariables.flatMap((name) => own[name] ?? env[name] ?? []);
  return { file, cwd, home: homeOf(env), dataDir: dataDirectory(env), files: [...files, ...certificates] };
}

/** Variables that name files with certificates, which programs get from Toolwharf. */
const certificateVariables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Equal for the same command. */
export function hashProgram({ command, args }: Pick<LaunchedProgram, 'command' | 'args'>): string {
  return hashOf([command, args]);
}

/** The directory that a program keeps its downloads in, and traces of it. */
export function keptFolder(dataDir: string, server: string, program: string): string {
  return join(dataDir, 'sandbox', hashOf([server, program]).slice(0, 16));
}

export const tracesOf = (kept: string) => join(kept, 'traces');
