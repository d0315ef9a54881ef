import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from './references.ts';

/** Returns the data directory: `TOOLWHARF_DATA_DIR`, or the user data directory of the platform. Does not create it. */
export function dataDirectory(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  if (env.TOOLWHARF_DATA_DIR) return resolve(env.TOOLWHARF_DATA_DIR);
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Toolwharf');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'Toolwharf');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'toolwharf');
}
