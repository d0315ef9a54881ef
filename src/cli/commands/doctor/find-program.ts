import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export interface FindProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Default: `process.platform`. */
  readonly platform?: NodeJS.Platform;
}

/** The executable file of a command, searched on PATH unless it is a path; undefined if there is none. */
export async function findProgram(command: string, options: FindProgramOptions): Promise<string | undefined> {
  const { env, cwd, platform = process.platform } = options;
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const directories = isPath ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  for (const directory of directories) {
    for (const ending of endings) {
      const file = resolve(cwd, join(directory, `${command}${ending}`));
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
