import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/references.ts';

/**
 * Has Node keep what it compiles, which makes the next start faster. Only in a directory that is the user's alone: what lies there is run.
 * Where there is none, or it can't be written, everything works as well, but not as soon.
 */
export function useCompileCache(env: Environment): void {
  // Somebody has told Node where to keep it.
  if (getCompileCacheDir() !== undefined) return;
  const cache = cacheDirectory(env);
  const compiled = join(cache, 'compiled');
  if (isOurs(cache) && isOurs(compiled)) enableCompileCache(compiled);
}

/** The platform's folder for what can be made again. */
export function cacheDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'Toolwharf');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'Toolwharf', 'Cache');
  return join(env.XDG_CACHE_HOME || join(home, '.cache'), 'toolwharf');
}

/** Makes the directory where it is missing. False for one that others own or may write to. */
export function isOurs(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const found = lstatSync(directory);
    if (!found.isDirectory()) return false;
    // Windows has no such bits; there a folder of the user's own is below their profile.
    return process.platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & 0o022) === 0);
  } catch {
    return false;
  }
}
