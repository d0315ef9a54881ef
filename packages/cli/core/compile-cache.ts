import { lstatSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module'; // An old Node lacks the named exports.
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../toolwharf/config/references.ts';

/**
 * Enables Node's compile cache, which makes the next start faster. The cached code is executed, so the cache is used only in
 * directories that only the user can write to. Without one, startup is merely slower.
 */
export function useCompileCache(env: Environment): void {
  // Already enabled through NODE_COMPILE_CACHE.
  if (nodeModule.getCompileCacheDir() !== undefined) return;
  const cache = cacheDirectory(env);
  const compiled = join(cache, 'compiled');
  if (isPrivateDirectory(cache) && isPrivateDirectory(compiled)) nodeModule.enableCompileCache(compiled);
}

/** The platform's cache directory for Toolwharf. */
export function cacheDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'Toolwharf');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'Toolwharf', 'Cache');
  return join(env.XDG_CACHE_HOME || join(home, '.cache'), 'toolwharf');
}

/** Creates the directory if it is missing; returns whether only the user owns it and can write to it. */
export function isPrivateDirectory(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const found = lstatSync(directory);
    if (!found.isDirectory()) return false;
    // Windows has no permission bits; there the cache directory is below the user's profile.
    return process.platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & 0o022) === 0);
  } catch {
    return false;
  }
}
