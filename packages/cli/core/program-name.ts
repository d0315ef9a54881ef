import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import type { Environment } from '../../toolwharf/config/references.ts';

/** How this process was started. */
export interface ProgramStart {
  /** The file that Node runs, as an absolute path. */
  readonly program: string;
  readonly env: Environment;
  /** The directory where the command will be typed. Without it, the command works in any directory if it can. */
  readonly cwd?: string;
  /** The value of `--data-dir`: without it, other commands would not find the gateway of that directory. */
  readonly dataDir?: string;
}

/** The command that starts Toolwharf again: `toolwharf` itself may not be on PATH. */
export function programName({ program, env, cwd, dataDir }: ProgramStart): string {
  const name = commandWithoutOptions(program, env, cwd);
  return dataDir === undefined ? name : `${name} --data-dir ${shellWord(dataDir)}`;
}

/** Replaces `toolwharf` in the commands that a text quotes with backticks by the command that works here. */
export function nameCommands(text: string, command: () => string): string {
  return text.includes('`toolwharf ') ? text.replaceAll('`toolwharf ', () => `\`${command()} `) : text;
}

/** Replaces `toolwharf` at the beginning of indented lines: the examples of a help text. */
export function nameExamples(text: string, command: () => string): string {
  return text.replaceAll(/(?<=^ {2}(?:.* \| )?)toolwharf(?= )/gm, command);
}

function commandWithoutOptions(program: string, env: Environment, cwd: string | undefined): string {
  if (env.npm_command === 'exec') return npxCommand(npxPackages(program));
  if (env.npm_lifecycle_event !== undefined) {
    return env.npm_package_name === 'toolwharf' ? 'npm run --silent toolwharf --' : 'npx toolwharf';
  }
  if (isOnPath(program, env)) return 'toolwharf';
  if (cwd !== undefined && program.startsWith(join(cwd, 'node_modules', sep))) return 'npx toolwharf';
  const isBelow = cwd !== undefined && program.startsWith(join(cwd, sep));
  return `node ${shellWord(isBelow ? relative(cwd, program) : program)}`;
}

/** Whether a shell that is given `toolwharf` runs this program. */
function isOnPath(program: string, env: Environment): boolean {
  const file = realPath(program) ?? program;
  for (const directory of (env.PATH ?? '').split(delimiter)) {
    if (directory === '') continue;
    const found = realPath(join(directory, 'toolwharf'));
    if (found === file) return true;
    // On Windows, npm installs scripts beside the folder of the package instead of links to its files.
    if (process.platform === 'win32' && found !== undefined) return file.startsWith(join(dirname(found), sep));
    if (found !== undefined) return false;
  }
  return false;
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function npxCommand(packages: readonly string[]): string {
  const words = packages.map(shellWord);
  if (words.length <= 1) return `npx ${words[0] ?? 'toolwharf-gateway'}`;
  return `npx ${words.map((word) => `--package ${word}`).join(' ')} toolwharf`;
}

function shellWord(text: string): string {
  if (process.platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text}"`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The packages that npx was given, such as a tarball. npx records them in the directory where it installs them. */
function npxPackages(file: string): readonly string[] {
  const directory = /^.*[/\\]_npx[/\\][^/\\]+/.exec(file)?.[0];
  try {
    return JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'))._npx.packages;
  } catch {
    return [];
  }
}
