import { setTimeout as wait } from 'node:timers/promises';
import type { StderrTail } from '../stderr-tail.ts';
import { cpuTicksOf, descendantsOf } from './process-tree.ts';

/** The process of a package runner, which installs a package and then runs it as a child process. */
export interface RunnerProcess {
  readonly pid: number | null;
  readonly stderr: StderrTail;
}

const sampleMs = 500;
// A server that is up answers within this time after its last activity.
const silenceMs = 5_000;
// Without /proc only output shows activity.
const blindSilenceMs = 60_000;

/** Resolves when the server of a runner is up and does nothing: it ignores what it was sent. Never while the runner installs. */
export async function isUpAndSilent(process: RunnerProcess, signal: AbortSignal): Promise<void> {
  for await (const { idleMs, isBlind } of watchActivity(process, signal))
    if (idleMs >= (isBlind ? blindSilenceMs : silenceMs)) return;
}

/**
 * Calls `onExpired` once when the server of a runner was up and idle for `timeoutMs`, or when the runner took `maxMs`. Installing is
 * not idle: the runner has no child process yet, or works, or prints something. Without /proc, only `maxMs` applies. A program that pulls
 * an image is idle unless its output says that it pulls.
 */
export function limitStart(
  process: RunnerProcess,
  { timeoutMs, maxMs, pulls }: { readonly timeoutMs: number; readonly maxMs: number; readonly pulls: boolean },
  onExpired: (message: string) => void,
): Disposable {
  const end = new AbortController();
  async function watch(): Promise<void> {
    const startedAt = performance.now();
    for await (const { idleMs, isBlind } of pulls
      ? watchPull(process, end.signal)
      : watchActivity(process, end.signal)) {
      if (idleMs >= timeoutMs && !isBlind)
        return onExpired(`No answer within ${timeoutMs} ms${pulls ? '' : ' after its package was installed'}`);
      if (performance.now() - startedAt < maxMs) continue;
      const what = pulls ? 'image' : 'package';
      return onExpired(`Not ready within ${maxMs} ms. If its ${what} takes longer to install, raise installTimeout`);
    }
  }
  void watch();
  return { [Symbol.dispose]: () => end.abort() };
}

interface Activity {
  /** How long the runner's server has been idle. */
  readonly idleMs: number;
  /** The system does not show the processes of the runner. */
  readonly isBlind: boolean;
}

const pullStarted = /^(Unable to find image '|Trying to pull )/;
const pullEnded = /^(Status: |Writing manifest to image destination)/;

/** Observes twice a second whether a program pulls an image. */
async function* watchPull({ stderr }: RunnerProcess, signal: AbortSignal): AsyncGenerator<Activity> {
  let activeAt = performance.now();
  while (!signal.aborted) {
    const lines = stderr.lines();
    const isPulling =
      lines.findLastIndex((line) => pullStarted.test(line)) > lines.findLastIndex((line) => pullEnded.test(line));
    if (isPulling) activeAt = performance.now();
    yield { idleMs: performance.now() - activeAt, isBlind: false };
    await wait(sampleMs, undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Observes a runner twice a second until the signal aborts. */
async function* watchActivity(process: RunnerProcess, signal: AbortSignal): AsyncGenerator<Activity> {
  let before = '';
  let activeAt = performance.now();
  while (!signal.aborted) {
    // The process is launched only after the limit starts.
    const { pid, stderr } = process;
    const lines = stderr.lines();
    const [ticks, children] = await Promise.all([cpuTicksOf(pid), descendantsOf(pid)]);
    const seen = [ticks, children?.join(' '), lines.length, lines.at(-1)].join('|');
    if (children?.length === 0 || seen !== before) activeAt = performance.now();
    before = seen;
    yield { idleMs: performance.now() - activeAt, isBlind: children === undefined };
    await wait(sampleMs, undefined, { ref: false, signal }).catch(() => {});
  }
}
