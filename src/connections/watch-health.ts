import type { Clock } from '../kernel/clock.ts';
import { ConnectionError, messageOf, ProtocolError, type ToolwharfError } from '../kernel/errors.ts';
import type { Session } from './session.ts';

export interface HealthOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Pings only after this long without a reply of any kind. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly lastTrafficAt: () => number;
  readonly onUnresponsive: (cause: ToolwharfError) => void;
}

// One missed reply on an idle connection may be a hiccup; two in a row are not.
const maxMisses = 1;

/** Detects a server that is connected but no longer replies. Real traffic counts as health; only a silent server is pinged. */
export function watchHealth(session: Session, options: HealthOptions): void {
  void watch(session, options);
}

async function watch(session: Session, options: HealthOptions): Promise<void> {
  const { signal, clock, intervalMs } = options;
  let misses = 0;
  while (!signal.aborted) {
    await clock.sleep(misses > 0 ? Math.min(1_000, intervalMs) : intervalMs, signal).catch(() => {});
    if (signal.aborted) return;
    // A server at work may be too busy to reply; the deadline of its call covers that.
    if (session.channel.inFlight > 0 || clock.now() - options.lastTrafficAt() < intervalMs) continue;
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
      // Any reply shows that the server is alive, even "method not found".
      if (cause instanceof ProtocolError && cause.code === 'SERVER_ERROR') misses = 0;
      else if (++misses > maxMisses || isGone(cause)) {
        options.onUnresponsive(
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
