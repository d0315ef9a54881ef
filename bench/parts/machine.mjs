import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** The machine and the versions of a measurement. */
export function describeMachine() {
  return {
    at: new Date().toISOString(),
    commit:
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', '--', 'packages') === '' ? '' : ' and changes'),
    node: process.version,
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`,
  };
}

/** The load average of the last minute. */
export const currentLoad = () => loadavg()[0];

function git(...args) {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
