import { ConnectionError, messageOf, ProtocolError, type ToolwharfError } from '../../contract/errors.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Session } from './session.ts';
import { isStopped } from './stdio/process-tree.ts';

export interface HealthOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** A server that was silent for this long, and does not answer a check, has a problem. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** The server does not answer, or answers again: undefined. */
  readonly onProblem: (problem: string | undefined) => void;
  /** The connection is broken, or the server did not answer for so long that a new session is opened. */
  readonly onUnresponsive: (cause: ToolwharfError) => void;
}

// A server that misses this many checks in a row gets a new session.
const maxMisses = 6;
const recheckMs = 1_000;

/**
 * Detects a server that is connected but no longer answers. Every message of the server counts as health; only a silent
 * server is checked. A server at work on a request of ours may be too busy to answer: the deadline of the request covers that.
 */
export function watchHealth(session: Session, options: HealthOptions): void {
  void watch(session, options);
}

async function watch(session: Session, options: HealthOptions): Promise<void> {
  const { signal, clock, intervalMs, onProblem } = options;
  const { channel } = session;
  const timeoutMs = Math.min(options.timeoutMs, intervalMs / 2);
  let problem: string | undefined;
  for (let misses = 0; ; ) {
    const received = channel.received;
    await clock.sleep(problem ? Math.min(recheckMs, intervalMs) : intervalMs - timeoutMs, signal).catch(() => {});
    if (signal.aborted) return;
    const before = problem;
    if (channel.received !== received) problem = undefined;
    else if (await isStopped(session.pid)) problem = 'its process is stopped';
    else if (channel.inFlight === 0) {
      const cause = await check(session, signal, timeoutMs);
      if (signal.aborted) return;
      problem = cause === undefined ? undefined : `it does not answer (${messageOf(cause)})`;
      misses = cause === undefined ? 0 : misses + 1;
      if (cause instanceof ConnectionError || misses >= maxMisses)
        return options.onUnresponsive(
          new ConnectionError('SERVER_DISCONNECTED', `The server no longer answers: ${messageOf(cause)}`, { cause }),
        );
    }
    if (problem !== before) onProblem(problem);
    if (problem === undefined) misses = 0;
  }
}

/** Sends a request that every server answers. Returns why there was no answer; even "method not found" is one. */
async function check({ era, channel }: Session, signal: AbortSignal, timeoutMs: number): Promise<unknown> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const method = era === 'modern' ? 'server/discover' : 'ping';
    await channel.request(method, {}, { signal: AbortSignal.any([signal, deadline]) });
    return undefined;
  } catch (cause) {
    if (deadline.aborted) return new Error(`no answer within ${timeoutMs} ms`);
    return cause instanceof ProtocolError && cause.code === 'SERVER_ERROR' ? undefined : cause;
  }
}
