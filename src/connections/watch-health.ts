import type { Clock } from '../kernel/clock.ts';
import { ConnectionError, messageOf, ProtocolError, type ToolwharfError } from '../kernel/errors.ts';
import type { Session } from './session.ts';

export interface HealthOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Asks only after this long without an answer of any kind. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly lastTraffic: () => number;
  readonly onDead: (cause: ToolwharfError) => void;
}

// One missed answer may be a hiccup; two in a row on an idle connection are not.
const allowedMisses = 1;

/** Notices a server that is connected but no longer answers. Real traffic counts as health; only a quiet one is asked. */
export function watchHealth(session: Session, options: HealthOptions): void {
  void watch(session, options);
}

async function watch(session: Session, options: HealthOptions): Promise<void> {
  const { signal, clock, intervalMs } = options;
  let misses = 0;
  while (!signal.aborted) {
    await clock.sleep(misses > 0 ? Math.min(1_000, intervalMs) : intervalMs, signal).catch(() => {});
    if (signal.aborted) return;
    // A server at work may be too busy to answer: its call's own deadline watches over that.
    if (session.channel.inFlight > 0 || clock.now() - options.lastTraffic() < intervalMs) continue;
    try {
      const method = session.era === 'modern' ? 'server/discover' : 'ping';
      await session.channel.request(
        method,
        {},
        { signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]) },
      );
      misses = 0;
    } catch (cause) {
      if (signal.aborted) return;
      // Any answer, even "no such method", comes from a living server.
      if (cause instanceof ProtocolError && cause.code === 'SERVER_ERROR') misses = 0;
      else if (++misses > allowedMisses || isGone(cause)) {
        options.onDead(
          new ConnectionError('SERVER_DISCONNECTED', `The server no longer answers: ${messageOf(cause)}`, { cause }),
        );
        return;
      }
    }
  }
}

function isGone(cause: unknown): boolean {
  return cause instanceof ConnectionError;
}
