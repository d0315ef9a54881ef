import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../../kernel/errors.ts';
import { UsageError } from '../../usage-error.ts';

/** The text of a file; empty where there is none. */
export async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new UsageError(`'${file}' can't be read: ${messageOf(cause)}`);
  }
}

/** Puts a new text in a file's place, whole or not at all, with its mode; gives back where the old one was kept, if there was one. */
export async function replaceFile(file: string, text: string, now = new Date()): Promise<string | undefined> {
  try {
    // A link stays one: what it leads to is replaced.
    const target = await realpath(file).catch(() => file);
    const mode = await stat(target).then(
      (found) => found.mode & 0o777,
      () => undefined,
    );
    const stamp = now.toISOString().replace(/\..*/, '').replaceAll(':', '-');
    const backup = mode === undefined ? undefined : `${target}.${stamp}.bak`;
    if (backup === undefined) await mkdir(dirname(target), { recursive: true });
    else await copyFile(target, backup);
    const draft = `${target}.${process.pid}`;
    // Such files hold tokens: a new one is for its owner only.
    await writeFile(draft, text, { flag: 'wx', mode: mode ?? 0o600 });
    if (mode !== undefined) await chmod(draft, mode);
    await rename(draft, target).catch(async (cause) => {
      await rm(draft, { force: true });
      throw cause;
    });
    return backup;
  } catch (cause) {
    throw new UsageError(`'${file}' can't be written: ${messageOf(cause)}`);
  }
}
