import { constants } from 'node:fs';
import { access, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';

/** Where a command is; undefined if no directory of the path has it. */
export async function findCommand(command: string, path = '', cwd = process.cwd()): Promise<string | undefined> {
  const isPath = command.includes('/');
  const candidates = isPath
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((folder) => join(resolve(cwd, folder), command));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

/**
 * The files and directories that a program needs to start: those of its command, and of the script among its arguments. No
 * directory that holds anything else, such as the home.
 */
export async function findProgramFiles(file: string, args: readonly string[], cwd: string): Promise<readonly string[]> {
  const script = await findScript(args, cwd);
  const found = await Promise.all([filesOfCommand(file), script === undefined ? [] : filesOfScript(script)]);
  return [...new Set(found.flat())];
}

const parts = ['lib', 'lib64', 'libexec', 'versions', 'plugins', 'tools', 'installs', 'pyvenv.cfg'];

/** The directory of a command with those beside it that hold its code, for each link that leads to it, and for its interpreter. */
async function filesOfCommand(file: string, depth = 0): Promise<readonly string[]> {
  if (depth > 16) return [];
  const folder = dirname(file);
  const modules = outermostModules(file);
  const beside = modules === undefined ? [folder, ...parts.map((part) => join(dirname(folder), part))] : [modules];
  const target = await readlink(file).catch(() => undefined);
  const interpreter = target === undefined ? await interpreterOf(file) : undefined;
  const next = target === undefined ? interpreter : resolve(folder, target);
  // A directory of commands can itself be a link.
  const real = await realpath(folder).catch(() => folder);
  const atRealPath = real === folder ? [] : await filesOfCommand(join(real, basename(file)), depth + 1);
  return [...beside, ...atRealPath, ...(next === undefined ? [] : await filesOfCommand(next, depth + 1))];
}

async function interpreterOf(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  await using _closed = handle;
  const { buffer, bytesRead } = await handle
    .read(Buffer.alloc(256), 0, 256, 0)
    .catch(() => ({ buffer: Buffer.alloc(0), bytesRead: 0 }));
  return /^#!\s*(\/\S+)/.exec(buffer.subarray(0, bytesRead).toString('latin1'))?.[1];
}

async function findScript(args: readonly string[], cwd: string): Promise<string | undefined> {
  for (const argument of args) {
    if (argument.startsWith('-') || !/[./]/.test(argument)) continue;
    const file = isAbsolute(argument) ? argument : resolve(cwd, argument);
    if (/\.[a-z]+$/i.test(file) && (await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  return undefined;
}

/** The directory of a script, and the packages that it can import. */
async function filesOfScript(file: string): Promise<readonly string[]> {
  const real = await realpath(file);
  const found = [dirname(file), dirname(real)];
  for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder))
    found.push(join(folder, 'node_modules'), join(folder, 'package.json'));
  return found.map((path) => outermostModules(path) ?? path);
}

function outermostModules(path: string): string | undefined {
  return /^(.*?\/node_modules)(\/|$)/.exec(path)?.[1];
}

async function isProgram(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return (
    found?.isFile() === true &&
    access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
  );
}

/** The first symbolic link among the directories from `root` to `path`; undefined if there is none. */
export async function findLink(path: string, root: string): Promise<string | undefined> {
  for (let at = path; at.length > root.length; at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined))?.isSymbolicLink()) return at;
  }
  return undefined;
}
