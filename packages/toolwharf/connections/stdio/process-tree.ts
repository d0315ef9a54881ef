import { readdir, readFile } from 'node:fs/promises';

/** The environment variable that marks all processes of a server: children inherit it. */
export const markerVariable = 'TOOLWHARF_SERVER_PROCESS';

/** All running processes with this marker, in whatever group or session. Empty on systems without `proc`, which is `/proc`. */
export async function findMarked(marker: string, proc = '/proc'): Promise<number[]> {
  const needle = `${markerVariable}=${marker}\0`;
  const entries = await readdir(proc).catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (entry) => {
        const environment = await readFile(`${proc}/${entry}/environ`, 'latin1').catch(() => '');
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

/** The processor time that a process and its children have used, in ticks; 0 on systems without /proc. */
export async function cpuTicksOf(pid: number | null): Promise<number> {
  const [stat, children] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''),
    readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => ''),
  ]);
  // The fields from the state on; user and system time, its own and of children that have ended, are 11 to 14.
  const times = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  const own = times.reduce((sum, time) => sum + (Number(time) || 0), 0);
  const others = children.split(' ').filter((child) => child !== '');
  const ticks = await Promise.all(others.map((child) => cpuTicksOf(Number(child))));
  return ticks.reduce((sum, child) => sum + child, own);
}

/** The ids of all processes below this one; undefined on systems without /proc, or if the process has ended. */
export async function descendantsOf(pid: number | null): Promise<readonly number[] | undefined> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => undefined);
  if (text === undefined) return undefined;
  const children = text
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
  const below = await Promise.all(children.map(descendantsOf));
  return [...children, ...below.flatMap((pids) => pids ?? [])];
}

/** True for a process that a signal (SIGSTOP) or a debugger has stopped; false on systems without /proc. */
export async function isStopped(pid: number | undefined): Promise<boolean> {
  return pid !== undefined && /^[Tt]$/.test((await readState(pid)) ?? '');
}

async function isRunning(pid: string): Promise<boolean> {
  const state = await readState(pid);
  return state !== undefined && state !== 'Z';
}

/** The letter of a process's state, such as R (running) or Z (zombie). */
async function readState(pid: number | string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The state follows the command, which is in brackets and may itself contain brackets.
  return stat === '' ? undefined : stat.charAt(stat.lastIndexOf(')') + 2);
}
