import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { findMarked, sendSignal } from './process-tree.ts';

export interface StopOptions {
  /** Time to exit after its input is closed; default 2 000. */
  readonly closeMs?: number;
  /** Time to exit after SIGTERM; default 5 000. */
  readonly termMs?: number;
  /** Time for its children to exit after it; default 500. */
  readonly orphanMs?: number;
  /** Default: `process.platform`. */
  readonly platform?: NodeJS.Platform;
  /** The directory of processes; default `/proc`. */
  readonly proc?: string;
}

/** Ends a server and all its children: closes its input, sends SIGTERM, then SIGKILL to the group and to children outside it. */
export async function stopChild(child: ChildProcess, marker: string, options: StopOptions = {}): Promise<void> {
  const { closeMs = 2_000, termMs = 5_000, platform = process.platform } = options;
  const pid = child.pid;
  if (pid === undefined) return;

  child.stdin?.end();
  if (!(await exitsWithin(child, closeMs))) {
    signalGroup(pid, 'SIGTERM', platform);
    if (!(await exitsWithin(child, termMs))) {
      signalGroup(pid, 'SIGKILL', platform);
      await exitsWithin(child, termMs);
    }
  }
  await endOrphans(pid, marker, options);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

async function endOrphans(pid: number, marker: string, options: StopOptions): Promise<void> {
  const { orphanMs: graceMs = 500, platform = process.platform, proc } = options;
  const groupIsAlive = () => platform !== 'win32' && sendSignal(-pid, 0);
  const orphans = await findMarked(marker, proc);
  if (orphans.length === 0 && !groupIsAlive()) return;
  signalGroup(pid, 'SIGTERM', platform);
  for (const orphan of orphans) sendSignal(orphan, 'SIGTERM');
  const step = 25;
  for (let waited = 0; waited < graceMs; waited += step) {
    await delay(step);
    if (!groupIsAlive() && (await findMarked(marker, proc)).length === 0) return;
  }
  // A process can fork between two scans, so scan until none is left.
  for (let round = 0; round < 20; round++) {
    signalGroup(pid, 'SIGKILL', platform);
    const left = await findMarked(marker, proc);
    for (const orphan of left) sendSignal(orphan, 'SIGKILL');
    if (left.length === 0) return;
    await delay(step);
  }
}

/** Without process groups, `taskkill` ends the tree of the process, which leaves it no time. */
function signalGroup(pid: number, signal: NodeJS.Signals, platform: NodeJS.Platform): void {
  if (platform !== 'win32') sendSignal(-pid, signal);
  else
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' })
      .on('error', () => sendSignal(pid, signal))
      .unref();
}

async function exitsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  const waiting = new AbortController();
  try {
    return await Promise.race([
      once(child, 'exit', { signal: waiting.signal }).then(() => true),
      delay(ms, false, { signal: waiting.signal }),
    ]);
  } catch {
    return child.exitCode !== null || child.signalCode !== null;
  } finally {
    waiting.abort();
  }
}
