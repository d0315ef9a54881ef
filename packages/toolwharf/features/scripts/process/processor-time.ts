import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** The clock of processor times in `/proc`, which is the same on all platforms that have it. */
const ticksPerSecond = 100;

/** The processor time of a process in milliseconds, from `/proc` or else from `ps`; undefined where the system has neither. */
export async function processorTimeOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat === undefined ? askPs(pid) : parseStat(stat);
}

function parseStat(stat: string): number | undefined {
  // The name of the program is in parentheses and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? (ticks * 1_000) / ticksPerSecond : undefined;
}

/** As POSIX has it: macOS has no `/proc`. */
export function askPs(pid: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'time=', '-p', String(pid)], (error, text) => resolve(error ? undefined : parsePsTime(text)));
  });
}

/** Reads `[[days-]hours:]minutes:seconds`. */
export function parsePsTime(text: string): number | undefined {
  const match = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (!match) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000);
}
