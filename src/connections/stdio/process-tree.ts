import { readdir, readFile } from 'node:fs/promises';

/** The environment variable that marks all processes of a server: children inherit it. */
export const markerVariable = 'TOOLWHARF_SERVER_PROCESS';

/** All running processes with this marker, in whatever group or session. Empty on systems without /proc. */
export async function findMarked(marker: string): Promise<number[]> {
  const needle = `${markerVariable}=${marker}\0`;
  const entries = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (entry) => {
        const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '');
        return environment.includes(needle) && (await isRunning(entry)) ? Number(entry) : undefined;
      }),
  );
  return found.filter((pid) => pid !== undefined && pid !== process.pid) as number[];
}

/** Sends a signal to a process (or, with a negative id, its group); false when there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The state follows the command, which is in brackets and may itself contain brackets. Z is a zombie.
  return stat !== '' && !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
