import { readFileSync } from 'node:fs';

/** The peak resident memory of a process in bytes. */
export function peakMemory(pid: number): number {
  return field(pid, 'VmHWM');
}

/** The resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  return field(pid, 'VmRSS');
}

function field(pid: number, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? Number.NaN) * 1_024;
}
